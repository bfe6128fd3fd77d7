"""kill -9 of the worker in the middle of a real grading: the next one finishes it, and there is one result."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from workbench.jobs.worker.processes import descendants
from workbench.setup.places import ROOT

PATIENCE_S = 240.0
SEED = """
import django, sys; django.setup()
from pathlib import Path
from django.core.management import call_command
call_command("migrate", verbosity=0)
from adjudication.grading.intake import take_in
from adjudication.runs.actions.name_configuration import name_configuration
from adjudication.runs.actions.submit_artifact import submit_artifact
from curation.format.instance import load
from curation.format.packed import read_tree
from curation.instances.actions.import_revision import import_revision
from workbench.access.models import Team
team = Team.objects.create(slug="t", name="T")
fixtures = Path(sys.argv[1])
loaded = load(read_tree(fixtures / "instances" / "ivalset"))
revision = import_revision(None, team, loaded).revision
taken = take_in(loaded, "proof", fixtures / "submissions" / "ivalset" / "proof")
submit_artifact(None, name_configuration(None, team, "Codex"), revision, taken)
"""


def until(is_so: Callable[[], Any], what: str) -> Any:
    """Return what `is_so` returns as soon as it is true."""
    deadline = time.monotonic() + PATIENCE_S
    while not (found := is_so()):
        assert time.monotonic() < deadline, f"waited in vain for {what}"
        time.sleep(0.05)
    return found


@pytest.mark.lean
def test_a_grading_whose_worker_is_killed_ends_once(tmp_path: Path) -> None:
    (tmp_path / "cache").symlink_to(ROOT / "var" / "cache")
    database = tmp_path / "db.sqlite3"
    environ = os.environ | {
        "DATABASE_URL": f"sqlite:///{database}",
        "WORKBENCH_DATA_DIR": str(tmp_path),
        "DJANGO_SETTINGS_MODULE": "workbench.settings",
        "PYTHONPATH": str(ROOT),
        "WORKBENCH_JOB_LEASE_SECONDS": "6",
    }
    words = [sys.executable, "-c", SEED, str(ROOT / "fixtures")]
    done = subprocess.run(words, env=environ, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr

    def row(query: str) -> Any:
        with sqlite3.connect(database, timeout=30) as connection:
            return connection.execute(query).fetchone()

    def worker() -> subprocess.Popen[bytes]:
        script = str(ROOT / "bin" / "run.py")
        return subprocess.Popen(
            [
                sys.executable,
                script,
                "workbench.commandline",
                "worker",
                "--processes",
                "1",
            ],
            env=environ,
            cwd=ROOT,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    first = worker()
    second: subprocess.Popen[bytes] | None = None
    try:
        compiling = "SELECT 1 FROM jobs_jobevent WHERE kind='log' AND text LIKE '%graded: % modules%'"  # fmt: skip
        until(lambda: row(compiling), "the compiler")
        below = [first.pid, *descendants(first.pid)]
        for pid in below:
            os.kill(pid, signal.SIGKILL)
        first.wait()
        assert row("SELECT count(*) FROM runs_outcome") == (0,)
        second = worker()
        until(lambda: row("SELECT 1 FROM runs_gradingrun WHERE receipt_hash != ''"), "the verdict")  # fmt: skip
        until(lambda: row("SELECT 1 FROM jobs_job WHERE state='done'"), "the job's end")
        assert row("SELECT attempt FROM jobs_job") == (2,)
        runs, passed, specs = row("SELECT count(*), max(passed_count), max(spec_count) FROM runs_gradingrun")  # fmt: skip
        assert (runs, passed) == (1, specs)
        assert row("SELECT count(*) FROM runs_outcome") == (specs,)
        graded = row("SELECT count(*) FROM events_event WHERE verb='run.graded'")
        assert graded == (1,)
        assert not list((tmp_path / "scratch").glob("*"))
    finally:
        for process in (first, second):
            if process is not None and process.poll() is None:
                process.terminate()
                process.wait(30)
