"""What a background job costs, on SQLite and on a PostgreSQL server of its own.

    python tests/speed/jobs.py [--engine embedded|rq|celery] [--jobs N] [--rounds N] [--sqlite | --postgresql] [--json]

A job that does nothing is submitted N times and then drained by one worker with one executor, a process of its own,
as `bin/workbench worker` starts it. The cost of a job is the time from the beginning of the first to the end of the
last by N, all that a job leaves in the database included: its row, its log and two events of the chain. The processor
time of the executor by N stands beside it, for machines that are busy with something else. Latency is the time from
submitting to beginning while the worker is idle. Best round and median of the rounds. Exit code 1 when a budget is missed.
"""

from __future__ import annotations

import argparse
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

REPOSITORY = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(REPOSITORY))

from tests.speed.figures import Figure, conclude  # noqa: E402 - the path is set above
from workbench.setup import services  # noqa: E402

DRAIN_MS = {"PostgreSQL": 4.0}
LATENCY_JOBS, PATIENCE_S = 30, 120
JOB = "sample-nothing"


def main() -> int:
    parser = argparse.ArgumentParser(description="What a background job costs.")
    parser.add_argument("--jobs", type=int, default=500)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json", action="store_true")
    parser.add_argument(
        "--engine", choices=("embedded", "rq", "celery"), default="embedded"
    )
    only = parser.add_mutually_exclusive_group()
    only.add_argument("--sqlite", action="store_true")
    only.add_argument("--postgresql", action="store_true")
    parser.add_argument("--measure", metavar="NAME", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure:
        return conclude(
            measured(options.measure, options.jobs, options.rounds),
            as_json=options.json,
        )
    code = 0
    for name, wanted in (
        ("SQLite", not options.postgresql),
        ("PostgreSQL", not options.sqlite),
    ):
        if wanted:
            code |= on_its_own(name, options)
    return code


def on_its_own(name: str, options: argparse.Namespace) -> int:
    """Measure on the database `name` in a process of its own, since Django knows one database; return its exit code."""
    with (
        tempfile.TemporaryDirectory(prefix="proofroom-speed-") as folder,
        database(name, Path(folder)) as url,
        broker(options.engine) as redis_url,
    ):
        words = [
            "--measure",
            name,
            "--jobs",
            str(options.jobs),
            "--rounds",
            str(options.rounds),
        ]
        environ = os.environ | {
            "DATABASE_URL": url,
            "DJANGO_SETTINGS_MODULE": "tests.workbench.jobs.settings",
            "PROOFROOM_TEST_FOLDER": folder,
            "WORKBENCH_DATA_DIR": folder,
            "WORKBENCH_JOB_ENGINE": options.engine,
            "WORKBENCH_REDIS_URL": redis_url,
        }
        command = [
            sys.executable,
            __file__,
            *words,
            *(["--json"] if options.json else []),
        ]
        return subprocess.run(command, env=environ, check=False).returncode


@contextmanager
def broker(engine: str) -> Iterator[str]:
    """Yield the address of an empty Redis; "" for the engine that has no use for it."""
    if engine == "embedded":
        yield ""
    elif obstacle := services.redis_obstacle():
        sys.exit(f"no Redis: {obstacle}")
    else:
        with services.scratch_redis() as url:
            yield url


@contextmanager
def database(name: str, folder: Path) -> Iterator[str]:
    """Yield the address of an empty database."""
    if name == "SQLite":
        yield f"sqlite:///{folder / 'speed.sqlite3'}"
    elif obstacle := services.postgresql_obstacle():
        sys.exit(f"no PostgreSQL: {obstacle}")
    else:
        with services.scratch_postgresql() as url:
            yield url


def measured(name: str, jobs: int, rounds: int) -> Iterator[Figure]:
    """Yield the figures of the database that the environment names."""
    import django

    django.setup()
    from django.conf import settings
    from django.core.management import call_command
    from django.db import connection

    from workbench.jobs.worker.executor import without_pool

    if settings.JOB_ENGINE != "embedded":  # the budget is that of the embedded one
        name = f"{name}, {settings.JOB_ENGINE}"
    call_command("migrate", verbosity=0)
    without_pool()
    connection.close()
    with worker() as executor:
        drained(executor, 50)
        found = [drained(executor, jobs) for _ in range(rounds)]
        waits = latencies()
    submitting, draining, processor = zip(*found, strict=True)
    yield Figure(
        f"{name}: submit a job",
        min(submitting),
        "ms",
        median=statistics.median(submitting),
    )
    yield Figure(
        f"{name}: a job, claimed, run and finished", min(draining), "ms", DRAIN_MS.get(name),
        statistics.median(draining), min(processor),
    )  # fmt: skip
    yield Figure(
        f"{name}: from submitting to beginning, idle worker",
        min(waits),
        "ms",
        median=statistics.median(waits),
    )


def submit_all(number: int) -> float:
    """Submit `number` jobs; return the milliseconds for one."""
    from workbench.jobs import submit

    begun = time.perf_counter()
    for _ in range(number):
        submit(JOB, owner=None)
    return (time.perf_counter() - begun) / number * 1000


def drained(executor: int, number: int) -> tuple[float, float, float]:
    """Submit `number` jobs while the executor is stopped, then let it run them.

    Return, in milliseconds for one job: the submitting, the draining, and the executor's processor time.
    """
    from django.db.models import Max, Min

    from workbench.jobs.models import Job

    last = Job.objects.aggregate(last=Max("pk"))["last"]
    rows = Job.objects.filter(pk__gt=last)
    os.kill(executor, signal.SIGSTOP)
    submitting = submit_all(number)
    before = processor_seconds(executor)
    os.kill(executor, signal.SIGCONT)
    await_true(lambda: not rows.filter(state__in=Job.OPEN).exists(), pause=0.2)
    used = processor_seconds(executor) - before
    times = rows.aggregate(began=Min("started_at"), ended=Max("finished_at"))
    took: timedelta = times["ended"] - times["began"]
    return submitting, took.total_seconds() / number * 1000, used / number * 1000


def latencies() -> list[float]:
    """Return how many milliseconds an idle worker took to begin each of some jobs."""
    waits = []
    for number in range(LATENCY_JOBS):
        time.sleep(
            0.2 + 0.013 * number % 0.1
        )  # so that it does not fall into step with a poll
        waits.append(latency())
    return waits


def latency() -> float:
    """Submit a job; return how many milliseconds later it began."""
    from workbench.jobs import submit
    from workbench.jobs.models import Job

    sent = datetime.now(UTC)
    row = Job.objects.filter(pk=submit(JOB, owner=None).pk)
    await_true(row.filter(state=Job.DONE).exists, pause=0.02)
    began = row.values_list("started_at", flat=True).get()
    assert began is not None
    return (began - sent).total_seconds() * 1000


@contextmanager
def worker() -> Iterator[int]:
    """Run a worker with one executor, and yield the pid of that once it has run a job."""
    from workbench.jobs.worker.processes import children

    process = subprocess.Popen(
        [sys.executable, str(REPOSITORY / "manage.py"), "worker", "--processes", "1"],
        stdout=subprocess.DEVNULL,
    )
    try:
        latency()
        yield children(process.pid)[0]
    finally:
        process.terminate()
        process.wait()


def processor_seconds(pid: int) -> float:
    """Return the processor time that `pid` has used so far."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    ticks = int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def await_true(is_so: Callable[[], Any], *, pause: float) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while not is_so():
        if time.monotonic() > deadline:
            sys.exit("the worker did not get through in two minutes")
        time.sleep(pause)


if __name__ == "__main__":
    sys.exit(main())
