"""For workers that somebody started by `rqworker` or `celery worker`, without our supervisor around them."""

from __future__ import annotations

import os
import subprocess
import sys

from django.conf import settings
from django.db import connection

from workbench.jobs.models import Job


def run(pk: int) -> None:
    """Run what waits, job `pk` among it, in a worker of ours that ends when nothing waits any more.

    It costs its start, some seconds, but has everything that a job counts on: heartbeat, limits, an end of all that
    it started. Does nothing where the job no longer waits.
    """
    if not Job.objects.filter(pk=pk, state=Job.QUEUED).exists():
        return
    connection.close()
    script = settings.BASE_DIR / "bin" / "run.py"
    words = ["worker", "--once", "--processes", "1", "--with-parent"]
    subprocess.run(  # noqa: S603  # our own script
        [sys.executable, script, "workbench.commandline", *words],
        env={**os.environ, "WORKBENCH_JOB_ENGINE": "embedded"},
        stdin=subprocess.DEVNULL,
        check=True,
    )
