"""Jobs that do what a test asks for. Installed as an app by tests.workbench.jobs.settings, for workers under test."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from django.db import connection

from workbench.jobs import JobDeclined, JobFailed, JobRun, declare


@declare("sample-nothing", title="Nothing")
def nothing(run: JobRun) -> None:
    pass


@declare("sample-add", title="Add")
def add(run: JobRun, *, a: int, b: int) -> None:
    run.progress(1, 2, "adding")
    run.log(f"{a} + {b}")
    with run.finishing() as finish:
        finish(result={"sum": a + b}, summary=f"{a} + {b} = {a + b}")


@declare("sample-sleep", title="Sleep", limit_s=60)
def sleep(
    run: JobRun, *, seconds: float, folder: str = "", stubborn: bool = False
) -> None:
    """Sleep, politely or without ever looking up. Leaves a line for each attempt in `folder`."""
    if folder:
        with open(Path(folder, "attempts"), "a") as attempts:
            attempts.write(f"{os.getpid()}\n")
    if stubborn:
        time.sleep(seconds)
    else:
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            run.progress(1, 10, "asleep")
            time.sleep(0.05)


@declare("sample-family", title="Family", limit_s=60)
def family(run: JobRun, *, folder: str, seconds: float = 60, hang: bool = True) -> None:
    """Start a child in a session of its own, its child, and one that left both by forking twice."""
    script = (
        "import os, sys, time\n"
        "def live(): open(os.path.join(sys.argv[1], f'pid-{os.getpid()}'), 'w').close(); time.sleep(600)\n"
        "if os.fork() == 0: live()\n"
        "if os.fork() == 0:\n"
        "    os.setsid()\n"
        "    if os.fork() > 0: os._exit(0)\n"
        "    live()\n"
        "live()\n"
    )
    subprocess.Popen(
        [sys.executable, "-c", script, folder], start_new_session=True, env={}
    )
    while len(list(Path(folder).glob("pid-*"))) < 3:
        time.sleep(0.02)
    Path(folder, "ready").touch()
    if hang:
        time.sleep(seconds)


@declare("sample-crash", title="Crash")
def crash(run: JobRun, *, attempts: int = 99) -> None:
    """Die by kill -9 in the first `attempts` attempts."""
    if run.attempt <= attempts:
        os.kill(os.getpid(), signal.SIGKILL)


@declare("sample-fail", title="Fail")
def fail(run: JobRun, *, how: str) -> None:
    if how == "words":
        raise JobFailed("Line 3 of manifest.json: expected a list.")
    if how == "declined":
        raise JobDeclined("It would need more than 2 GB of memory.")
    if how == "exit":
        sys.exit(3)
    raise ZeroDivisionError("by nothing")


@declare("sample-overrun", title="Overrun", limit_s=1)
def overrun(run: JobRun) -> None:
    time.sleep(60)


@declare("sample-scratch", title="Scratch")
def scratch(run: JobRun, *, folder: str, seconds: float = 0) -> None:
    path = run.scratch()
    (path / "file").write_text("work")
    Path(folder, "where").write_text(str(path))
    time.sleep(seconds)


@declare("sample-needy", title="Needy", needs=("lean:4.29.1",))
def needy(run: JobRun) -> None:
    pass


@declare("sample-publish", title="Publish", queue="grading", limit_s=60)
def publish(run: JobRun, *, name: str, pause: float = 0) -> None:
    """Add a team in the finishing transaction, pausing inside it."""
    from workbench.access.models import Team

    with run.finishing() as finish:
        Team.objects.create(slug=name, name=name)
        time.sleep(pause)
        finish(summary="published")


@declare("sample-unplug", title="Unplug")
def unplug(run: JobRun) -> None:
    """Have the server close the connection in the first attempt, as a restart of PostgreSQL does."""
    if run.attempt == 1:
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_terminate_backend(pg_backend_pid())")


@declare("sample-add-slowly", title="Add slowly", limit_s=60)
def add_slowly(run: JobRun, *, folder: str, seconds: float) -> None:
    """Sleep, then add the team `slow`; the first attempt leaves a note when it got that far."""
    from workbench.access.models import Team

    with open(Path(folder, "attempts"), "a") as attempts:
        attempts.write(f"{os.getpid()}\n")
    time.sleep(seconds)
    if run.attempt == 1:
        Path(folder, "late").touch()
    with run.finishing() as finish:
        Team.objects.create(slug="slow", name="Slow")
        finish(summary=f"added by attempt {run.attempt}")


@declare("sample-siege", title="Siege", queue="grading", attempts=9, limit_s=120)
def siege(run: JobRun, *, folder: str, name: str) -> None:
    """Start a process, work in a scratch folder, wait for the file `go`, and add the team `name`.

    Each attempt leaves a file `attempt-N` with its process, its child and its scratch folder in it.
    """
    from workbench.access.models import Team

    scratch = run.scratch()
    (scratch / "file").write_text("work")
    child = subprocess.Popen(["/bin/sleep", "600"], start_new_session=True)
    draft = Path(folder, f"draft-{run.attempt}")
    draft.write_text(f"{os.getpid()} {child.pid} {scratch}")
    draft.rename(Path(folder, f"attempt-{run.attempt}"))
    while not Path(folder, "go").exists():
        time.sleep(0.05)
    with run.finishing() as finish:
        Team.objects.create(slug=name, name=name)
        finish(summary=f"held by attempt {run.attempt}")
