"""kill -9 of whoever submits, of Redis, of the job's process, of the worker and of PostgreSQL, all in one job's life.

On each engine, with servers of the test's own: the job is finished by a later attempt, its result is there once, and no
process and no folder is left.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import psycopg
import pytest
from django.conf import settings

from tests.workbench.jobs.worker.harness import alive, until
from workbench.jobs.worker.processes import descendants
from workbench.setup import services

# Whoever submits is killed after the commit and before anything is sent to the broker.
SUBMIT = """
import django, os, sys; django.setup()
from django.db import transaction
from workbench.jobs import submit
with transaction.atomic():
    transaction.on_commit(lambda: os.kill(os.getpid(), 9))
    submit("sample-siege", owner=None, key=sys.argv[2], args={"folder": sys.argv[1], "name": sys.argv[2]})
"""
MIGRATE = """
import django; django.setup()
from django.core.management import call_command
call_command("migrate", verbosity=0)
"""
WHOLE = """
import django; django.setup()
from workbench.events.log import broken_links
print(list(broken_links()))
"""


class Ground:
    """The database server of the module, with what is asked of it, and an environment for processes."""

    def __init__(self, server: services.Scratch, url: str, folder: Path) -> None:
        self.server, self.url = server, url
        self.environ = os.environ | {
            "DATABASE_URL": url,
            "WORKBENCH_DATA_DIR": str(folder),
            "DJANGO_SETTINGS_MODULE": "tests.workbench.jobs.settings",
            "PYTHONPATH": str(settings.BASE_DIR),
            "WORKBENCH_JOB_LEASE_SECONDS": "6",
        }

    def row(self, query: str, *values: Any) -> Any:
        """Return the first row; None while the server does not answer."""
        try:
            with psycopg.connect(self.url, connect_timeout=5) as connection:
                return connection.execute(query, values).fetchone()
        except psycopg.OperationalError:
            return None

    def python(self, code: str, *words: str, **environ: str) -> subprocess.CompletedProcess[str]:  # fmt: skip
        return subprocess.run([sys.executable, "-c", code, *words], env=self.environ | environ, capture_output=True, text=True)  # fmt: skip


@pytest.fixture(scope="module")
def ground(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ground]:
    if obstacle := services.postgresql_obstacle():
        pytest.skip(f"no PostgreSQL: {obstacle}")
    with services.postgresql_server() as (server, url):
        made = Ground(server, url, tmp_path_factory.mktemp("data"))
        migrated = made.python(MIGRATE)
        assert migrated.returncode == 0, migrated.stderr
        yield made


class Siege:
    """One job under siege on one engine."""

    def __init__(self, ground: Ground, folder: Path, engine: str, redis: str) -> None:
        self.ground, self.folder, self.name = ground, folder, engine
        self.environ = {"WORKBENCH_JOB_ENGINE": engine, "WORKBENCH_REDIS_URL": redis}
        self.workers: list[subprocess.Popen[bytes]] = []

    def submit(self) -> None:
        done = self.ground.python(SUBMIT, str(self.folder), self.name, **self.environ)
        assert done.returncode == -signal.SIGKILL, done.stderr

    def start_worker(self) -> None:
        manage = settings.BASE_DIR / "manage.py"
        with (self.folder / "worker.log").open("ab") as log:
            self.workers.append(
                subprocess.Popen(
                    [sys.executable, manage, "worker", "--processes", "1"],
                    env=self.ground.environ | self.environ, stdout=log, stderr=log,
                )
            )  # fmt: skip

    def attempt(self, number: int) -> tuple[int, int, Path]:
        """Return process, child and scratch folder of the attempt, once it is under way."""
        path = self.folder / f"attempt-{number}"
        until(path.exists, f"attempt {number} on {self.name}: {self.log()}")
        pid, child, scratch = path.read_text().split()
        assert alive(int(pid))
        assert alive(int(child))
        return int(pid), int(child), Path(scratch)

    def job(self) -> Any:
        """Return state, attempt and summary of the job; None while the database is away."""
        return self.ground.row(
            "SELECT state, attempt, summary FROM jobs_job WHERE key = %s", self.name
        )

    def log(self) -> str:
        path = self.folder / "worker.log"
        return path.read_text()[-2000:] if path.exists() else ""

    def end(self) -> None:
        for worker in self.workers:
            below = descendants(worker.pid)
            worker.kill()
            worker.wait()
            for pid in below:
                try:
                    os.kill(pid, signal.SIGKILL)
                except ProcessLookupError:
                    pass


@pytest.mark.parametrize("engine", ["embedded", "rq", "celery"])
def test_a_job_outlives_whoever_is_killed_around_it(
    ground: Ground, tmp_path: Path, engine: str
) -> None:
    if obstacle := services.redis_obstacle():
        pytest.skip(f"no Redis: {obstacle}")
    with ExitStack() as stack:
        redis, redis_url = stack.enter_context(services.redis_server())
        siege = Siege(ground, tmp_path, engine, redis_url)
        stack.callback(siege.end)
        siege.start_worker()
        siege.submit()
        first = siege.attempt(1)

        redis.kill()
        redis.start()
        assert siege.job()[:2] == ("running", 1)

        os.kill(first[0], signal.SIGKILL)
        second = siege.attempt(2)
        gone(first)

        siege.workers[0].kill()
        siege.workers[0].wait()
        until(lambda: not alive(second[0]), "the executor to end with its worker")
        siege.start_worker()
        third = siege.attempt(3)
        gone(second)

        ground.server.kill()
        ground.server.start()
        (tmp_path / "go").touch()
        until(lambda: (siege.job() or [""])[0] == "done", f"the end: {siege.log()}")
        gone(third)

        _, attempt, summary = siege.job()
        assert summary == f"held by attempt {attempt}"
        assert attempt <= 4
        assert siege.ground.row("SELECT count(*) FROM access_team WHERE slug = %s", engine) == (1,)  # fmt: skip
        finished = siege.ground.row(
            "SELECT count(*) FROM events_event JOIN jobs_job ON object_id = jobs_job.id::text"
            " WHERE verb = 'job.finished' AND object_kind = 'job' AND key = %s",
            engine,
        )
        assert finished == (1,)
        for path in tmp_path.glob("attempt-*"):
            pid, child, scratch = path.read_text().split()
            gone((int(pid), int(child), Path(scratch)))
    assert ground.python(WHOLE).stdout.strip() == "[]"


def gone(attempt: tuple[int, int, Path]) -> None:
    """What an attempt had is no more: its child and its folder (its process may have gone on to another job)."""
    _, child, scratch = attempt
    until(lambda: not alive(child), "the job's child to end")
    until(lambda: not scratch.exists(), "the scratch folder to go")
