"""What carries jobs to workers. The row in the database is the truth; an engine only says that there is one.

An engine is a module of this package; `WORKBENCH_JOB_ENGINE` names the one in force. Whatever it does, a worker claims
a job from the database before it runs it, and looks there by itself now and then: a message that was lost, doubled or
late changes nothing but the moment.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Protocol, cast

from django.conf import settings

from workbench.jobs.models import Job

if TYPE_CHECKING:
    from workbench.jobs.worker.executor import Executor


class Engine(Protocol):
    """The interface that every engine's module has."""

    def announce(self, job: Job) -> None:
        """See to it that, once the transaction commits, a worker that may take `job` looks for it."""

    def state(self) -> tuple[str, str] | None:
        """Return whether the broker answers: tone and words; None where there is no broker."""

    def work(self, executor: Executor) -> None:
        """Have `executor` run what is announced, until it is `over`. Called in the executor's own process."""


def engine() -> Engine:
    """Return the engine in force."""
    return cast(Engine, import_module(f"{__name__}.{settings.JOB_ENGINE}"))


def announce(job: Job) -> None:
    """Tell workers, when the transaction commits, that `job` waits."""
    engine().announce(job)


def stop(job: Job) -> None:
    """Tell the worker of `job`, when the transaction commits, that it is to be stopped.

    Workers ask the database every second about what they run; the doorbell only makes it quicker.
    """
    from workbench.jobs.engines import embedded

    embedded.announce(job)
