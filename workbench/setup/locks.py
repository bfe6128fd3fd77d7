"""Locks between processes, let go of by the system when their holder ends, however it ends."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


class Taken(Exception):
    """Another process holds the lock. The text is what it wrote there."""


@contextmanager
def waiting_turn(folder: Path) -> Iterator[None]:
    """Hold the lock on `folder` (a directory, nothing is written); waits for whoever holds it."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


@contextmanager
def sole(path: Path, note: str) -> Iterator[None]:
    """Hold the lock on the file `path`, with `note` in it for others to read. Raises Taken if somebody holds it."""
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise Taken(
                os.read(handle, 1000).decode(errors="replace").strip()
            ) from None
        os.truncate(handle, 0)
        os.write(handle, note.encode())
        try:
            yield
        finally:
            os.truncate(handle, 0)
    finally:
        os.close(handle)
