"""Real workers on the test database, as processes of their own."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import redis
from django.conf import settings
from django.db import connection
from django.test import override_settings

from tests.case import CommittedTestCase
from tests.workbench.jobs.made import fresh
from workbench.jobs.models import Job, WorkerRow
from workbench.jobs.worker.processes import descendants, is_zombie

PATIENCE_S = 60.0
UNDER_TEST = "worker-under-test"


def database_url() -> str:
    """Return the address of the test database for another process."""
    at = connection.settings_dict
    if connection.vendor == "sqlite":
        return f"sqlite:///{at['NAME']}"
    password = f":{at['PASSWORD']}" if at["PASSWORD"] else ""
    port = f":{at['PORT']}" if at["PORT"] else ""
    host = str(at["HOST"]).replace("/", "%2F")
    return f"postgres://{at['USER']}{password}@{host}{port}/{at['NAME']}"


def until(is_so: Callable[[], Any], what: str) -> Any:
    """Return what `is_so` returns as soon as it is true; fail after a minute, since then it never will be."""
    deadline = time.monotonic() + PATIENCE_S
    while not (found := is_so()):
        assert time.monotonic() < deadline, f"waited in vain for {what}"
        time.sleep(0.05)
    return found


def alive(pid: int) -> bool:
    """Return whether `pid` still runs."""
    return not is_zombie(pid)


def point_celery_at(broker_url: str) -> None:
    """Have Celery, which keeps its settings and connections, use another broker."""
    import kombu.pools

    from workbench.celery import app

    app.conf.broker_url = broker_url
    kombu.pools.reset()
    app._after_fork()


@contextmanager
def engine_in_force(engine: str, redis_url: str) -> Iterator[None]:
    """Have this process announce jobs by `engine`; what is in Redis is forgotten."""
    if redis_url:
        redis.Redis.from_url(redis_url).flushall()
    with override_settings(
        JOB_ENGINE=engine, REDIS_URL=redis_url, CELERY_BROKER_URL=redis_url
    ):
        if engine == "rq":
            from workbench.jobs.engines.rq import broker

            broker.cache_clear()
        if engine == "celery":
            point_celery_at(redis_url)
        yield


class OnRedis:
    """For test cases of an engine with a broker: a Redis of the session's own."""

    redis: str

    @pytest.fixture(autouse=True)
    def _with_redis(self, redis_url: str) -> None:
        self.redis = redis_url


class WorkerTestCase(CommittedTestCase):
    """`self.folder` is for what jobs leave behind; every worker started here is killed with all below it at the end."""

    engine = "embedded"
    redis = ""

    def setUp(self) -> None:
        super().setUp()
        self.enterContext(engine_in_force(self.engine, self.redis))
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def worker(
        self, *arguments: str, lease: int = 30, **environ: str
    ) -> subprocess.Popen[str]:
        """Start a worker and return it when it has signed on."""
        known = set(WorkerRow.objects.values_list("name", flat=True))
        worker = self.start(*arguments, lease=lease, **environ)
        until(
            lambda: (
                worker.poll() is not None
                or WorkerRow.objects.exclude(name__in=known).exists()
            ),
            "the worker to sign on",
        )
        if worker.poll() is not None:
            self.fail(f"the worker ended at once: {worker.communicate()[0]}")
        return worker

    def start(
        self, *arguments: str, lease: int = 30, **environ: str
    ) -> subprocess.Popen[str]:
        """Start a worker and return it."""
        worker = subprocess.Popen(
            [
                sys.executable,
                str(settings.BASE_DIR / "manage.py"),
                "worker",
                "--processes",
                "1",
                *arguments,
            ],
            cwd=self.folder,
            env=os.environ
            | {
                "DATABASE_URL": database_url(),
                "PGAPPNAME": UNDER_TEST,
                "DJANGO_SETTINGS_MODULE": "tests.workbench.jobs.settings",
                "WORKBENCH_JOB_LEASE_SECONDS": str(lease),
                "WORKBENCH_JOB_ENGINE": self.engine,
                "WORKBENCH_REDIS_URL": self.redis,
            }
            | environ,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self.addCleanup(self.kill, worker)
        return worker

    def kill(self, worker: subprocess.Popen[str]) -> None:
        below = descendants(worker.pid)
        if worker.poll() is None:
            worker.kill()
        for pid in below:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        worker.communicate()

    def executor_of(self, worker: subprocess.Popen[str]) -> int:
        """Return the pid of the worker's one executor."""
        return int(until(lambda: descendants(worker.pid), "an executor")[0])

    def stop(self, worker: subprocess.Popen[str]) -> str:
        """Ask the worker to end, and return what it said when it has."""
        worker.terminate()
        said, _ = worker.communicate(timeout=PATIENCE_S)
        self.assertEqual(worker.returncode, 0, said)
        return said

    def wait_for(self, job: Job, state: str) -> Job:
        """Return the row when it is in `state`."""
        return until(
            lambda: (row := fresh(job)).state == state and row,
            f"{job} to be {state}, {fresh(job).state} yet",
        )

    def attempts(self) -> list[int]:
        """Return the processes in which sample-sleep has begun."""
        noted = self.folder / "attempts"
        return (
            [int(line) for line in noted.read_text().split()] if noted.exists() else []
        )

    def family(self) -> list[int]:
        """Return the processes that sample-family has started, once all of them have said so."""
        until((self.folder / "ready").exists, "the family")
        return [
            int(path.name.removeprefix("pid-")) for path in self.folder.glob("pid-*")
        ]
