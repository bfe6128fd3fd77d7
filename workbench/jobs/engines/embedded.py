"""The engine without a broker: workers hear of jobs from the database itself.

On PostgreSQL by NOTIFY, which is delivered when the transaction commits; on SQLite workers look, several times a
second, whether anything was committed at all (doorbell.py).
"""

from __future__ import annotations

from django.db import connection

from workbench.jobs.doorbell import JOBS
from workbench.jobs.models import Job


def wake(job: Job) -> None:
    """Ring the doorbell of every worker when the transaction commits."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_notify(%s, %s)", [JOBS, job.queue])
