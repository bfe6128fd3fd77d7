"""What carries jobs to workers. The row in the database is the truth; an engine only says that there is one.

An engine is a module with `wake(job)`, called inside the transaction in which `job` enters the queue or is asked to
stop. `WORKBENCH_JOB_ENGINE` names the one in force.
"""

from __future__ import annotations

from importlib import import_module
from typing import Protocol, cast

from django.conf import settings

from workbench.jobs.models import Job


class Engine(Protocol):
    """The interface that every module in this package has."""

    def wake(self, job: Job) -> None:
        """See to it that, once the transaction commits, a worker looks at `job`."""


def engine() -> Engine:
    """Return the engine in force."""
    return cast(Engine, import_module(f"{__name__}.{settings.JOB_ENGINE}"))


def wake(job: Job) -> None:
    """Tell the engine in force that `job` waits, or is to be stopped."""
    engine().wake(job)
