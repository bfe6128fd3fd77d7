from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from workbench.setup import processes
from workbench.setup.places import ROOT

# Starts a grandchild, writes both process numbers, and sleeps; with "stubborn" it ignores SIGTERM.
FAMILY = """
import os, signal, subprocess, sys, time
from pathlib import Path
if "stubborn" in sys.argv:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
grandchild = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(300)"])
Path(sys.argv[1]).with_suffix(".part").write_text(f"{os.getpid()} {grandchild.pid}")
Path(sys.argv[1]).with_suffix(".part").rename(sys.argv[1])
time.sleep(300)
"""
PARENT = """
import sys
from workbench.setup import processes
processes.start([sys.executable, *sys.argv[1:]]).wait()
"""


def wait_for(condition) -> None:
    deadline = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < deadline, "waited 30 s in vain"
        time.sleep(0.02)


def numbers_in(path: Path) -> list[int]:
    wait_for(path.exists)
    return [int(word) for word in path.read_text().split()]


def is_alive(number: int) -> bool:
    """Whether the process runs; one that only waits to be buried by init does not."""
    try:
        return (
            Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[0]
            not in "ZX"
        )
    except OSError:
        return False


@pytest.mark.parametrize("manner", ["polite", "stubborn"])
def test_stopping_ends_the_whole_family(tmp_path: Path, manner: str) -> None:
    child = processes.start(
        [sys.executable, "-c", FAMILY, tmp_path / "numbers", manner]
    )
    family = numbers_in(tmp_path / "numbers")
    processes.stop([child], patience=0.5)
    wait_for(lambda: not any(map(is_alive, family)))
    assert child.returncode == (
        -signal.SIGKILL if manner == "stubborn" else -signal.SIGTERM
    )


def test_children_die_with_a_parent_that_is_killed(tmp_path: Path) -> None:
    words = [sys.executable, "-c", PARENT, "-c", FAMILY, str(tmp_path / "numbers")]
    with subprocess.Popen(words, cwd=ROOT) as parent:
        child, grandchild = numbers_in(tmp_path / "numbers")
        parent.kill()
    wait_for(lambda: not is_alive(child))
    os.kill(grandchild, signal.SIGKILL)


def test_stopping_what_has_ended_is_no_error() -> None:
    child = processes.start([sys.executable, "-c", ""])
    child.wait()
    processes.stop([child, child])


@pytest.mark.parametrize(
    ("code", "words"),
    [(None, "is running"), (0, "ended with exit code 0"), (-9, "was killed by SIGKILL"), (-150, "was killed by signal 150")],
)  # fmt: skip
def test_an_ending_is_told_in_words(code: int | None, words: str) -> None:
    child = processes.start(["true"])
    child.wait()
    child.returncode = code
    assert processes.ending(child) == words
