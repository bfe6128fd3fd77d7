from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

from workbench.lean import child
from workbench.lean.child import Ended

LONG = 60.0


def run(
    code: str,
    tmp_path: Path,
    *,
    seconds: float = LONG,
    output: int = 1 << 20,
    cancel: Callable[[], bool] | None = None,
) -> Ended:
    return child.run(
        [sys.executable, "-I", "-S", "-c", code],
        cwd=tmp_path,
        env={"SEEN": "yes"},
        seconds=seconds,
        output_bytes=output,
        cancel=cancel,
    )


def is_running(pid: int) -> bool:
    """Whether a process of that id is there and not a zombie that waits for init."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state not in "ZX"


def gone(pid: int) -> bool:
    for _ in range(200):
        if not is_running(pid):
            return True
        time.sleep(0.02)
    return False


def test_it_returns_code_and_both_streams(tmp_path: Path) -> None:
    ended = run(
        "import sys; print('out', flush=True); print('err', file=sys.stderr); sys.exit(7)",
        tmp_path,
    )
    assert (ended.code, ended.output, ended.stopped) == (7, b"out\nerr\n", "")
    assert ended.peak_kib > 1000


def test_it_passes_on_nothing_but_the_given_environment(tmp_path: Path) -> None:
    ended = run(
        "import os; print({k for k in os.environ} - {'LC_CTYPE'}, os.getcwd())",
        tmp_path,
    )
    assert ended.output.decode().strip() == f"{{'SEEN'}} {tmp_path}"


def test_a_signal_is_a_negative_code(tmp_path: Path) -> None:
    ended = run("import os, signal; os.kill(os.getpid(), signal.SIGSEGV)", tmp_path)
    assert (ended.code, ended.stopped) == (-signal.SIGSEGV, "")


def test_the_time_limit_kills_and_keeps_what_was_printed(tmp_path: Path) -> None:
    ended = run("print('here', flush=True)\nwhile True: pass", tmp_path, seconds=0.5)
    assert (ended.stopped, ended.output, ended.code) == (
        "time",
        b"here\n",
        -signal.SIGKILL,
    )


def test_the_time_limit_holds_for_a_program_that_closed_its_output(
    tmp_path: Path,
) -> None:
    ended = run(
        "import os, time; os.close(1); os.close(2); time.sleep(60)",
        tmp_path,
        seconds=0.5,
    )
    assert ended.stopped == "time"


def test_the_output_limit_kills_and_keeps_that_much(tmp_path: Path) -> None:
    ended = run("while True: print('x' * 1000)", tmp_path, output=5000)
    assert ended.stopped == "output"
    assert len(ended.output) == 5000


def test_it_kills_children_that_the_program_leaves_behind(tmp_path: Path) -> None:
    code = (
        "import subprocess, sys\n"
        "p = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(300)'], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)\n"
        "print(p.pid)"
    )
    ended = run(code, tmp_path)
    assert ended.code == 0
    assert gone(int(ended.output))


def test_cancelling_kills_the_program_and_its_children(tmp_path: Path) -> None:
    cancel = threading.Event()
    pid_file = tmp_path / "pid"
    code = (
        "import pathlib, subprocess, sys, time\n"
        "p = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(300)'])\n"
        f"pathlib.Path({str(pid_file)!r}).write_text(str(p.pid))\n"
        "time.sleep(300)"
    )

    def when_started() -> None:
        while not (pid_file.exists() and pid_file.read_text()):
            time.sleep(0.02)
        cancel.set()

    waiter = threading.Thread(target=when_started)
    waiter.start()
    ended = run(code, tmp_path, cancel=cancel.is_set)
    waiter.join()
    assert ended.stopped == "cancelled"
    assert gone(int(pid_file.read_text()))


def test_it_leaves_no_open_file_and_no_zombie(tmp_path: Path) -> None:
    before = set(os.listdir("/proc/self/fd"))
    for _ in range(3):
        run("print(1)", tmp_path)
    assert set(os.listdir("/proc/self/fd")) == before
    children = subprocess.run(
        ["ps", "-o", "stat=", "--ppid", str(os.getpid())],
        capture_output=True,
        text=True,
        check=False,
    )
    assert not [line for line in children.stdout.split() if line.startswith("Z")]
