"""Child processes that never outlive us: each leads a process group of its own, and dies when we do."""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from types import FrameType

from workbench.setup.words import Problem

_PR_SET_PDEATHSIG = 1


class Stopped(BaseException):
    """A signal asked us to stop. `number` is the signal's."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


def stop_on_signals() -> None:
    """From now on SIGINT, SIGTERM and SIGHUP raise Stopped in the main thread."""

    def stop(number: int, frame: FrameType | None) -> None:
        for each in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(each, signal.SIG_IGN)
        raise Stopped(number)

    for each in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(each, stop)


def start(
    words: Sequence[object],
    *,
    environ: Mapping[str, str] | None = None,
    cwd: str | os.PathLike[str] | None = None,
    last_signal: int = signal.SIGTERM,
    user: str | None = None,
    stdout: int | None = None,
    stderr: int | None = None,
) -> subprocess.Popen[bytes]:
    """Start `words` as the leader of a new process group that gets `last_signal` should we be killed."""
    libc = ctypes.CDLL(None, use_errno=True)
    parent = os.getpid()

    def follow_the_parent() -> None:
        # Default signal handling, and a signal from the kernel when the parent is gone (Linux only).
        for each in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(each, signal.SIG_DFL)
        if hasattr(libc, "prctl"):
            libc.prctl(_PR_SET_PDEATHSIG, last_signal)
        if os.getppid() != parent:
            os.kill(os.getpid(), last_signal)

    return subprocess.Popen(
        [str(word) for word in words],
        env=environ,
        cwd=cwd,
        stdin=subprocess.DEVNULL,
        stdout=stdout,
        stderr=stderr,
        start_new_session=True,
        preexec_fn=follow_the_parent,
        user=user,
        group=user,
        extra_groups=[] if user else None,
    )


def stop(
    children: Iterable[subprocess.Popen[bytes]],
    *,
    patience: float = 10.0,
    by: int = signal.SIGTERM,
) -> None:
    """Ask the groups of `children` to end by the signal `by`; kill what is left after `patience` seconds."""
    running = list(children)
    for child in running:
        _signal_group(child, by)
    deadline = time.monotonic() + patience
    for child in running:
        with suppress(subprocess.TimeoutExpired):
            child.wait(max(0.0, deadline - time.monotonic()))
    for child in running:
        _signal_group(child, signal.SIGKILL)
        child.wait()


def _signal_group(child: subprocess.Popen[bytes], number: int) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(child.pid, number)


def wait_until(is_true: Callable[[], bool], seconds: float, complaint: str) -> None:
    """Return as soon as `is_true`. Raises Problem with `complaint` after `seconds`."""
    deadline = time.monotonic() + seconds
    while not is_true():
        if time.monotonic() > deadline:
            raise Problem(f"{complaint} after {seconds:.0f} s.")
        time.sleep(0.05)


def ending(child: subprocess.Popen[bytes]) -> str:
    """Return how `child` ended, in words."""
    code = child.returncode
    if code is None:
        return "is running"
    if code < 0:
        try:
            return f"was killed by {signal.Signals(-code).name}"
        except ValueError:
            return f"was killed by signal {-code}"
    return f"ended with exit code {code}"
