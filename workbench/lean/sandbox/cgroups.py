"""Limits of memory and threads by the kernel's own accounts, where this process may make control groups (version 2).

That needs a folder of the hierarchy that was delegated to us and holds no process itself: a systemd service with `Delegate=yes` and
`DelegateSubgroup=…`, or root without other arrangements. Elsewhere `find` returns None and the watch does the work.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from workbench.lean.sandbox.box import MIB, Hit, Limits

ROOT = Path("/sys/fs/cgroup")
_NEEDED = ("memory", "pids")
_numbers = itertools.count(1)


@dataclass(frozen=True)
class Group:
    """One group with limits. A process that writes `0` to the open file `entrance` is in it."""

    path: Path
    entrance: int

    def hit(self) -> Hit:
        """Return the limit that the kernel enforced, if any."""
        if _count(self.path / "memory.events", "oom_kill"):
            return "memory"
        return "threads" if _count(self.path / "pids.events", "max") else ""


def find(root: Path = ROOT, own: Path = Path("/proc/self/cgroup")) -> Path | None:
    """Return the folder in which groups can be made, None if there is none. Tries it out with a process."""
    try:
        lines = own.read_text().splitlines()
    except OSError:
        return None
    place = next((line[3:] for line in lines if line.startswith("0::/")), None)
    if place is None:
        return None
    mine = root / place.lstrip("/")
    for folder in (mine.parent, mine) if mine != root else (mine,):
        if _enable(folder) and _can_enter(folder):
            return folder
    return None


@contextlib.contextmanager
def group(folder: Path, limits: Limits) -> Iterator[Group]:
    """Make a group below `folder` with `limits`; whatever is in it is killed at the end. Raises OSError."""
    path = folder / f"proofroom-box-{os.getpid()}-{next(_numbers)}"
    path.mkdir()
    entrance = -1
    try:
        (path / "memory.max").write_text(str(limits.memory_mib * MIB))
        (path / "pids.max").write_text(str(limits.threads))
        for name, text in (("memory.swap.max", "0"), ("memory.oom.group", "1")):
            # Kernels without swap accounting, or older than 4.19.
            with contextlib.suppress(OSError):
                (path / name).write_text(text)
        entrance = os.open(path / "cgroup.procs", os.O_WRONLY | os.O_CLOEXEC)
        yield Group(path, entrance)
    finally:
        if entrance >= 0:
            os.close(entrance)
        _remove(path)


def _enable(folder: Path) -> bool:
    try:
        if not set(_NEEDED) <= set((folder / "cgroup.controllers").read_text().split()):
            return False
        control = folder / "cgroup.subtree_control"
        if not set(_NEEDED) <= set(control.read_text().split()):
            control.write_text(" ".join(f"+{name}" for name in _NEEDED))
    except OSError:
        return False
    return True


def _can_enter(folder: Path) -> bool:
    """Return whether a process of ours can go into a group below `folder`."""
    try:
        with group(folder, Limits()) as trial:
            ended = subprocess.run(  # noqa: S603  fixed words
                [sys.executable, "-I", "-S", "-c", f"import os; os.write({trial.entrance}, b'0')"],
                pass_fds=[trial.entrance],
                stderr=subprocess.DEVNULL,
                check=False,
            )  # fmt: skip
    except OSError:
        return False
    return ended.returncode == 0


def _remove(path: Path) -> None:
    with contextlib.suppress(OSError):
        (path / "cgroup.kill").write_text("1")
    for _ in range(100):
        try:
            path.rmdir()
        except FileNotFoundError:
            return
        except OSError:
            # Processes that are ending are still in it.
            time.sleep(0.01)
        else:
            return


def _count(file: Path, name: str) -> int:
    try:
        words = dict(
            line.split(maxsplit=1) for line in file.read_text().splitlines() if line
        )
        return int(words.get(name, "0"))
    except (OSError, ValueError):
        return 0
