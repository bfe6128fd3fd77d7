"""What follows from a run that became current. Audits and standings register here, so that runs need not know them.

Each is called in the publishing transaction with the run that is current now, outcomes written. What raises undoes the
publication.
"""

from __future__ import annotations

from collections.abc import Callable

from adjudication.runs.models import GradingRun

consequences: list[Callable[[GradingRun], None]] = []


def draw(run: GradingRun) -> None:
    """Call everything that follows from `run`, in the order of registration."""
    for follow in consequences:
        follow(run)
