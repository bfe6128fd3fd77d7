"""What follows from a run that became current. Audits and standings register here, so that runs need not know them.

Each is called in the publishing transaction with outcomes written; what raises undoes the publication.
`consequences` are called with a run that is current now, `published` with every run that ended with a verdict;
`retirements` with a submission that was retired or put back.
"""

from __future__ import annotations

from collections.abc import Callable

from adjudication.runs.models import GradingRun, Submission

consequences: list[Callable[[GradingRun], None]] = []
published: list[Callable[[GradingRun], None]] = []
retirements: list[Callable[[Submission], None]] = []


def draw(run: GradingRun) -> None:
    """Call everything that follows from `run`, in the order of registration."""
    for follow in consequences:
        follow(run)
