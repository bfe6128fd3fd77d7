"""Run one program with a wall-clock limit and a limit on what it prints, and leave nothing of it behind."""

from __future__ import annotations

import contextlib
import os
import selectors
import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

# The first four are ours; the others come from boxes, whose ends are told in the same words.
Stop = Literal[
    "", "time", "output", "cancelled", "cpu", "memory", "threads", "file", "disk"
]
CHUNK = 1 << 16
POLL_SECONDS = 0.2


@dataclass(frozen=True)
class Ended:
    """How a program ended: `code` is negative for a signal; `stopped` says which limit made us kill it, if any."""

    code: int
    output: bytes
    stopped: Stop
    seconds: float
    peak_kib: int


def run(
    command: Sequence[str],
    *,
    cwd: Path,
    env: Mapping[str, str],
    seconds: float,
    output_bytes: int,
    cancel: Callable[[], bool] | None = None,
) -> Ended:
    """Run `command` in a session of its own and return how it ended, standard error included in its output.

    Its whole process group is killed when it ends, when `seconds` of wall clock have passed, when it has printed
    more than `output_bytes`, or when `cancel` says so (asked several times a second). Raises OSError if it cannot be started.
    """
    begun = time.monotonic()
    child = subprocess.Popen(  # noqa: S603  the words come from our toolchain, not from a shell line
        command,
        cwd=cwd,
        env=dict(env),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )
    assert child.stdout is not None
    try:
        output, stopped = _read(
            child.stdout.fileno(), begun + seconds, output_bytes, cancel
        )
        if not stopped and not _wait(child.pid, begun + seconds):
            stopped = "time"
    finally:
        # The group outlives its leader when the leader left children behind.
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child.pid, signal.SIGKILL)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        child.stdout.close()
    return Ended(
        child.returncode, output, stopped, time.monotonic() - begun, usage.ru_maxrss
    )


def _read(
    pipe: int, deadline: float, output_bytes: int, cancel: Callable[[], bool] | None
) -> tuple[bytes, Stop]:
    kept = bytearray()
    with selectors.DefaultSelector() as selector:
        selector.register(pipe, selectors.EVENT_READ)
        while True:
            if cancel is not None and cancel():
                return bytes(kept), "cancelled"
            left = deadline - time.monotonic()
            if left <= 0:
                return bytes(kept), "time"
            if not selector.select(min(left, POLL_SECONDS)):
                continue
            chunk = os.read(pipe, CHUNK)
            if not chunk:
                return bytes(kept), ""
            kept += chunk
            if len(kept) > output_bytes:
                return bytes(kept[:output_bytes]), "output"


def _wait(pid: int, deadline: float) -> bool:
    """Wait until `pid` can be reaped, without reaping it; return whether it ended before the deadline."""
    while time.monotonic() < deadline:
        if os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT | os.WNOHANG) is not None:
            return True
        time.sleep(0.002)
    return False
