"""The engine without a broker: workers hear of jobs from the database itself.

On PostgreSQL by NOTIFY, which is delivered when the transaction commits; on SQLite workers look, several times a
second, whether anything was committed at all (doorbell.py).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from django.db import connection

from workbench.jobs.doorbell import JOBS
from workbench.jobs.models import Job

if TYPE_CHECKING:
    from workbench.jobs.worker.executor import Executor

LOOKS_AT_LEAST_EVERY_S: Final = 5.0


def announce(job: Job) -> None:
    """Ring the doorbell of every worker when the transaction commits."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_notify(%s, %s)", [JOBS, job.queue])


def state() -> None:
    """There is no broker that could fail."""


def work(executor: Executor) -> None:
    """Run whatever waits; then wait until the supervisor says that there may be more."""
    while not executor.over:
        executor.mute()
        if not executor.look():
            executor.say_idle()
            executor.wait(LOOKS_AT_LEAST_EVERY_S)
