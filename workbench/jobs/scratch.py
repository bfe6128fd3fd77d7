"""Temporary files of a command or an executor: in the installation's scratch, so that what a killed one leaves is dropped."""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from workbench.jobs.run import scratch_root

_PREFIX, _LOCK = "process-", "lock"
# A folder gets its name when its lock is held; how long that takes at most.
_MAKING, _MAKING_S = ".process-", 60.0


@contextlib.contextmanager
def own_scratch() -> Iterator[Path]:
    """Let this process make its temporary files in a folder of its own, which goes at the end; drop those of killed ones.

    Gives the folder. The kernel lets go of the lock in it however the process ends.
    """
    drop_abandoned()
    before = tempfile.tempdir
    with scratch_here() as folder:
        tempfile.tempdir = os.fspath(folder)
        try:
            yield folder
        finally:
            tempfile.tempdir = before


@contextlib.contextmanager
def scratch_here() -> Iterator[Path]:
    """Give a folder in the installation's scratch, which goes at the end, or is dropped once its process is no more.

    For a process that does several things at once, such as the web server.
    """
    root = scratch_root()
    root.mkdir(parents=True, mode=0o700, exist_ok=True)
    made = Path(tempfile.mkdtemp(prefix=_MAKING, dir=root)).resolve()
    folder = made.with_name(made.name.removeprefix("."))
    with (made / _LOCK).open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        made.rename(folder)
        try:
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)


def drop_abandoned() -> None:
    """Drop the folders of processes that are no more."""
    for left in abandoned_folders():
        shutil.rmtree(left, ignore_errors=True)


def abandoned_folders() -> list[Path]:
    """Return the folders of processes that are no more."""
    root, now = scratch_root(), time.time()
    found = [folder for folder in root.glob(f"{_PREFIX}*") if not _is_held(folder)]
    for folder in root.glob(f"{_MAKING}*"):
        with contextlib.suppress(FileNotFoundError):
            if now - folder.stat().st_mtime > _MAKING_S:
                found.append(folder)
    return found


def _is_held(folder: Path) -> bool:
    """Return whether the process of a folder lives."""
    try:
        with (folder / _LOCK).open("r") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except FileNotFoundError:
        return False  # it is going
    except OSError:
        return True
    return False
