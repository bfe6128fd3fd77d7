"""Process trees on Linux, without cgroups and without root.

A worker and its executors are "child subreapers": a process whose parent has died becomes the child of the nearest
subreaper above it, so nothing that a job starts can leave the tree, whatever sessions and groups it makes. What is
below us is read from /proc.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path

_PR_SET_PDEATHSIG, _PR_SET_CHILD_SUBREAPER = 1, 36
_KILL_ROUNDS, _KILL_PAUSE_S = 400, 0.005


def become_subreaper() -> bool:
    """Adopt whatever is orphaned below us from now on; return False where the system cannot (no Linux)."""
    return _prctl(_PR_SET_CHILD_SUBREAPER, 1)


def end_with_parent(number: int) -> bool:
    """Have the system send us signal `number` when the thread that started us ends."""
    return _prctl(_PR_SET_PDEATHSIG, number)


def _prctl(option: int, value: int) -> bool:
    try:
        return bool(
            ctypes.CDLL(None, use_errno=True).prctl(option, value, 0, 0, 0) == 0
        )
    except (OSError, AttributeError):
        return False


def children(pid: int) -> list[int]:
    """Return the direct children of `pid`, zombies included; none if it is gone."""
    found: list[int] = []
    try:
        for task in os.scandir(f"/proc/{pid}/task"):
            with contextlib.suppress(OSError):
                found += map(int, Path(task.path, "children").read_text().split())
    except OSError:
        pass
    return found


def descendants(pid: int) -> list[int]:
    """Return everything below `pid`, nearest first."""
    found, todo = [], [pid]
    while todo:
        below = children(todo.pop(0))
        found += below
        todo += below
    return found


def kill_below(pid: int, *, spare: Callable[[], set[int]] = set) -> int:
    """Kill everything below `pid` (ourselves or a child) and reap what is ours; return how many were killed.

    `spare` says which of our direct children to leave alone, with what is below them. Goes on until nothing is left,
    since what is being killed may still be starting things.
    """
    killed: set[int] = set()
    ours = pid == os.getpid()
    for _ in range(_KILL_ROUNDS):
        spared = spare()
        top = [child for child in children(pid) if child not in spared]
        if not top:
            break
        for victim in [*top, *(below for child in top for below in descendants(child))]:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(victim, signal.SIGKILL)
                killed.add(victim)
        if ours:
            for child in top:
                with contextlib.suppress(ChildProcessError):
                    os.waitpid(child, os.WNOHANG)
        elif all(is_zombie(child) for child in top):
            break
        time.sleep(_KILL_PAUSE_S)
    return len(killed)


def _stat(pid: int) -> list[str]:
    """Return the fields of /proc/PID/stat after the name: state first, start time (in ticks) twentieth."""
    text = Path(f"/proc/{pid}/stat").read_text()
    return text[text.rindex(")") + 2 :].split()


def is_zombie(pid: int) -> bool:
    """Return whether `pid` is dead, though perhaps not reaped yet."""
    try:
        return _stat(pid)[0] in "ZX"
    except (OSError, IndexError):
        return True


def started(pid: int) -> int:
    """Return when `pid` began, in ticks since boot; 0 if it is gone or a zombie. With the pid it names a process."""
    try:
        fields = _stat(pid)
    except (OSError, ValueError):
        return 0
    return 0 if fields[0] in "ZX" else int(fields[19])


def place() -> str:
    """Return a name for this boot of this machine and this process namespace: where a pid means something."""
    boot = ""
    with contextlib.suppress(OSError):
        boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    return f"{os.uname().nodename} {boot} {_namespace('self')}"[:200]


def all_pids() -> Iterator[int]:
    """Yield the id of every process that we can see."""
    with contextlib.suppress(OSError):
        for entry in os.scandir("/proc"):
            if entry.name.isdigit():
                yield int(entry.name)


# A job's processes inherit this variable; by it they are known if worker and executor were both killed.
MARK = "PROOFROOM_WORKER"


def mark() -> str:
    """Return the mark of this worker's processes: its pid, start and process namespace."""
    return f"{os.getpid()}:{started(os.getpid())}:{_namespace('self')}"


def _namespace(pid: int | str) -> str:
    with contextlib.suppress(OSError):
        return os.readlink(f"/proc/{pid}/ns/pid")
    return ""


def kill_strays() -> int:
    """Kill processes marked by a worker that is dead, and return how many: kill -9 of worker and executor leaves them."""
    here, killed = _namespace("self"), 0
    for pid in all_pids():
        if pid == os.getpid() or not _is_stray(pid, here):
            continue
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(pid, signal.SIGKILL)
            killed += 1
    return killed


def _is_stray(pid: int, here: str) -> bool:
    try:
        variables = Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
    except OSError:
        return False
    for variable in variables:
        name, _, value = variable.partition(b"=")
        if name == MARK.encode():
            worker, _, rest = value.decode(errors="replace").partition(":")
            born, _, namespace = rest.partition(":")
            return (
                namespace == here == _namespace(pid)
                and worker.isdigit()
                and born.isdigit()
                and started(int(worker)) != int(born)
            )
    return False
