"""kill -9 of what is around real gradings on one engine: each is finished by the next attempt, and has one result.

    python -m tests.adjudication.runs.siege [--engine ENGINE]... [--sqlite]

The wide variant of test_killed.py, for people: on each engine the executor, the worker, the web server, Redis and PostgreSQL
are killed one after the other, each in the middle of a grading of its own with pocket Lean. Servers and folders are its own.
Prints a line for each and ends with exit code 1 when one did not hold. Takes some minutes.
"""

from __future__ import annotations

import argparse
import os
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

import psycopg

from workbench.jobs.worker.processes import all_pids, descendants, is_zombie
from workbench.setup import ports, services
from workbench.setup.places import ROOT

PATIENCE_S = 120.0
ENGINES = ("embedded", "rq", "celery")
VICTIMS = ("executor", "worker", "web", "redis", "postgresql")
# Hands in the fixture's full solve, or one module of it, with the comment that a line of its input names; prints the run.
SUBMITTER = """
import django, sys; django.setup()
from pathlib import Path
from django.core.management import call_command
from django.db import connection
call_command("migrate", verbosity=0)
from adjudication.grading.intake import from_tree
from adjudication.runs.actions.name_configuration import name_configuration
from adjudication.runs.actions.submit_artifact import submit_artifact
from curation.format.archive import Tree
from curation.format.instance import load
from curation.format.packed import read_tree
from curation.instances.actions.import_revision import import_revision
from workbench.access.models import Team
team = Team.objects.create(slug="t", name="T")
fixtures = Path(sys.argv[1])
loaded = load(read_tree(fixtures / "instances" / "ivalset"))
revision = import_revision(None, team, loaded).revision
agent = name_configuration(None, team, "Codex")
solved = read_tree(fixtures / "submissions" / "ivalset" / "proof").files
solved = {path: text for path, text in solved.items() if path.endswith(sys.argv[2])}
mark = b"-- !benchmark @start global_aux\\n"
print("ready", flush=True)
for line in sys.stdin:
    files = {path: text.replace(mark, mark + b"-- " + line.encode(), 1) for path, text in solved.items()}
    done = submit_artifact(None, agent, revision, from_tree(loaded, "proof", Tree("submission", files)))
    connection.close()
    print(done.run.pk, flush=True)
"""


def until(is_so: Callable[[], Any], what: str, pause_s: float = 0.03) -> Any:
    """Return what `is_so` returns as soon as it is true."""
    deadline = time.monotonic() + PATIENCE_S
    while not (found := is_so()):
        assert time.monotonic() < deadline, f"waited in vain for {what}"
        time.sleep(pause_s)
    return found


class Siege:
    """A worker on an engine and a database, with what stands around it. To be used in a `with`."""

    def __init__(
        self, folder: Path, engine: str, *, sqlite: bool = False, only: str = ".lean"
    ) -> None:
        self.folder, self.engine, self.sqlite = folder, engine, sqlite
        self._only = only
        self._stack = ExitStack()
        self._redis: services.Scratch | None = None
        self._postgresql: services.Scratch | None = None
        self._port = ports.free()
        self._below: set[int] = set()

    def __enter__(self) -> Siege:
        try:
            self._begin()
        except BaseException:
            self._stack.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def _begin(self) -> None:
        (self.folder / "tmp").mkdir()
        (self.folder / "cache").symlink_to(ROOT / "var" / "cache")
        self.url, redis = f"sqlite:///{self.folder / 'db.sqlite3'}", ""
        if not self.sqlite:
            server = self._stack.enter_context(services.postgresql_server())
            self._postgresql, self.url = server
            self._redis, redis = self._stack.enter_context(services.redis_server())
        self._environ = os.environ | {
            "DATABASE_URL": self.url,
            "WORKBENCH_DATA_DIR": str(self.folder),
            "WORKBENCH_JOB_ENGINE": self.engine,
            "WORKBENCH_REDIS_URL": redis,
            "WORKBENCH_JOB_LEASE_SECONDS": "6",
            "WORKBENCH_CLEAN_UP": "0",
            "DJANGO_SETTINGS_MODULE": "workbench.settings",
            "PYTHONPATH": str(ROOT),
            "TMPDIR": str(self.folder / "tmp"),
        }
        words = ["-c", SUBMITTER, str(ROOT / "fixtures"), self._only]
        self._submitter = self._start(words, asked=True)
        assert self._answer() == "ready", self.log()
        self._worker, self._web = self.start_worker(), None
        if not self.sqlite:
            self._web = self._start_web()
            self.demand_web()

    def _start(
        self, words: Sequence[str], *, asked: bool = False
    ) -> subprocess.Popen[bytes]:
        """Start Python with `words`; one that is `asked` things has pipes."""
        with (self.folder / "siege.log").open("ab") as log:
            process = subprocess.Popen(
                [sys.executable, *words], env=self._environ, cwd=ROOT, stderr=log,
                stdin=subprocess.PIPE if asked else subprocess.DEVNULL, stdout=subprocess.PIPE if asked else log,
            )  # fmt: skip
        self._stack.callback(self._end, process)
        return process

    def _end(self, process: subprocess.Popen[bytes]) -> None:
        if process.poll() is None:
            process.terminate()
            process.wait(30)

    def start_worker(self) -> subprocess.Popen[bytes]:
        """Start a worker with one executor."""
        script = str(ROOT / "bin" / "run.py")
        return self._start([script, "workbench.commandline", "worker", "--processes", "1"])  # fmt: skip

    def _start_web(self) -> subprocess.Popen[bytes]:
        words = ["-m", "uvicorn", "workbench.asgi:application", "--port", str(self._port), "--log-level", "warning"]  # fmt: skip
        return self._start(words)

    def demand_web(self) -> None:
        """Wait until the web server answers."""
        until(self._answers, "the web server")

    def _answers(self) -> bool:
        with suppress(OSError):
            address = f"http://127.0.0.1:{self._port}/login/"
            return bool(urllib.request.urlopen(address, timeout=5).status == 200)
        return False

    def _answer(self) -> str:
        assert self._submitter.stdout is not None
        return self._submitter.stdout.readline().decode().strip()

    def log(self) -> str:
        """Return the last of what all of them said."""
        return (self.folder / "siege.log").read_text(errors="replace")[-2000:]

    def row(self, query: str) -> Any:
        """Return the first row; None where there is none, and while the server does not answer."""
        if self.sqlite:
            with sqlite3.connect(self.folder / "db.sqlite3", timeout=30) as connection:
                return connection.execute(query).fetchone()
        try:
            with psycopg.connect(self.url, connect_timeout=5) as server:
                return server.execute(query.encode()).fetchone()
        except psycopg.OperationalError:
            return None

    # ---- what happens

    def hand_in(self, comment: str) -> int:
        """Hand in the full solve with `comment` in it; return its run."""
        assert self._submitter.stdin is not None
        self._submitter.stdin.write(f"{comment}\n".encode())
        self._submitter.stdin.flush()
        answer = self._answer()
        assert answer.isdecimal(), self.log()
        return int(answer)

    def await_compiler(self, run: int, attempt: int) -> None:
        """Wait until an attempt at `run` compiles what was handed in; remember every process of the worker."""
        query = (
            "SELECT 1 FROM jobs_jobevent e JOIN runs_gradingrun r ON r.job_id = e.job_id WHERE e.kind = 'log'"
            f" AND e.attempt = {attempt} AND r.id = {run} AND e.text LIKE '%graded: % modules%'"
        )
        until(lambda: self.row(query), f"the compiler of run {run}: {self.log()}")
        assert self.row(f"SELECT 1 FROM runs_outcome WHERE run_id = {run}") is None
        self._below |= set(descendants(self._worker.pid))

    def kill(self, victim: str) -> None:
        """kill -9 of one of VICTIMS; what a supervisor outside would start again is started again."""
        if victim == "executor":
            for pid in descendants(self._worker.pid)[:1]:
                os.kill(pid, signal.SIGKILL)
        elif victim == "worker":
            for pid in (self._worker.pid, *descendants(self._worker.pid)[:1]):
                os.kill(pid, signal.SIGKILL)
            self._worker.wait()
            self._worker = self.start_worker()
        elif victim == "web":
            assert self._web is not None
            self._web.kill()
            self._web.wait()
            self._web = self._start_web()
        else:
            server = self._redis if victim == "redis" else self._postgresql
            assert server is not None
            server.kill()
            server.start()

    def demand_one_result(self, run: int) -> int:
        """Wait for the end of `run`, fail unless it has one full result; return the attempt that brought it."""
        if self._web is not None:
            self.demand_web()
        ended = f"SELECT j.state, j.attempt, j.id FROM jobs_job j JOIN runs_gradingrun r ON r.job_id = j.id WHERE r.id = {run} AND j.state NOT IN ('queued', 'running')"
        state, attempt, job = until(lambda: self.row(ended), f"the end of run {run}: {self.log()}")  # fmt: skip
        assert state == "done", self.row(f"SELECT error FROM jobs_job WHERE id = {job}")
        specs, passed, current = self.row(f"SELECT spec_count, passed_count, is_current FROM runs_gradingrun WHERE id = {run}")  # fmt: skip
        assert specs == passed > 0
        assert current
        assert self.row(f"SELECT count(*) FROM runs_outcome WHERE run_id = {run}") == (specs,)  # fmt: skip
        for verb, about in (("run.graded", run), ("job.finished", job)):
            told = f"SELECT count(*) FROM events_event WHERE verb = '{verb}' AND object_id = '{about}'"
            assert self.row(told) == (1,), verb
        return int(attempt)

    def stop_worker(self) -> None:
        """Stop the worker that it began with."""
        self._end(self._worker)

    def demand_nothing_left(self) -> None:
        """Stop the worker; fail if a process of it is left, or a folder of an attempt."""
        self.stop_worker()
        until(lambda: all(map(is_zombie, self._below)), "the processes to end")
        place = str(self.folder / "scratch").encode()
        left = [pid for pid in all_pids() if place in _words_of(pid)]
        assert not left, f"processes are left: {left}"
        for name in ("scratch", "tmp"):
            folders = sorted(path.name for path in (self.folder / name).glob("*"))
            assert not folders, f"{name}: {folders}"


def _words_of(pid: int) -> bytes:
    with suppress(OSError):
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    return b""


def main() -> int:
    """Lay siege to each engine; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--engine", choices=ENGINES, action="append")
    parser.add_argument("--sqlite", action="store_true", help="the worker alone, on SQLite")  # fmt: skip
    options = parser.parse_args()
    code = 0
    for engine in options.engine or ENGINES:
        with tempfile.TemporaryDirectory(prefix="proofroom-siege-") as folder:
            code |= lay(Path(folder), engine, options.sqlite)
    return code


def lay(folder: Path, engine: str, sqlite: bool) -> int:
    """Kill each victim once on one engine and say what came of it; return the exit code."""
    code = 0
    with Siege(folder, engine, sqlite=sqlite) as siege:
        for victim in VICTIMS[:2] if sqlite else VICTIMS:
            begun = time.monotonic()
            words = "held"
            try:
                run = siege.hand_in(victim)
                siege.await_compiler(run, 1)
                siege.kill(victim)
                attempt = siege.demand_one_result(run)
                words = f"held, on attempt {attempt}"
                # Who is not needed for grading costs no attempt.
                assert attempt <= (1 if victim in ("web", "redis") else 2), words
            except AssertionError as error:
                words, code = f"FELL: {error}", 1
            print(f"{engine:<9} {victim:<11} {time.monotonic() - begun:5.1f} s  {words}", flush=True)  # fmt: skip
        try:
            siege.demand_nothing_left()
        except AssertionError as error:
            print(f"{engine:<9} FELL: {error}", flush=True)
            code = 1
    return code


if __name__ == "__main__":
    sys.exit(main())
