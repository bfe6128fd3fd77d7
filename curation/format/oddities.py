"""What an instance has to say about itself: one small function an oddity."""

from __future__ import annotations

from collections.abc import Iterator

from curation.format.findings import Finding, finding, sort_key
from curation.format.instance import Instance


def marker_problems(instance: Instance) -> Iterator[Finding]:
    """Markers that are unbalanced, nested, repeated or misspelt."""
    for path, file in instance.marker_files.items():
        for problem in file.problems:
            yield finding(problem.id, path, problem.message, problem.line)


CHECKS = (marker_problems,)


def findings(instance: Instance) -> tuple[Finding, ...]:
    """Return what all checks find, worst first."""
    return tuple(
        sorted((item for check in CHECKS for item in check(instance)), key=sort_key)
    )
