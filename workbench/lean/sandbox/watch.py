"""What a running box uses, looked at from outside, and whether that is more than it may."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

from workbench.lean.sandbox.box import MIB, Hit, Limits

PERIOD = 0.05
# When the file system of the folder has less than this left, the box is ended whatever its own limit says.
FLOOR_BYTES = 256 * MIB
_PROC = Path("/proc")
_OWN_MEMORY = ("RssAnon", "RssShmem", "VmSwap")


class Watch:
    """Looks at one box. `root` is the process that we started; the program itself is `depth` generations below it."""

    def __init__(self, limits: Limits, folder: Path, root: int, depth: int) -> None:
        self._limits, self._folder = limits, folder
        self._root, self._depth = root, depth
        self._program = 0
        self.peak_kib = 0
        self.cpu_seconds = 0.0

    def look(self) -> Hit:
        """Return the limit that is exceeded now, if any, and note the memory and processor time used so far."""
        if self._depth and not self._program:
            self._program = descendant(self._root, self._depth)
        program = self._program or (0 if self._depth else self._root)
        if program:
            status = _status(program)
            self.peak_kib = max(self.peak_kib, _number(status.get("VmHWM", "")))
            self.cpu_seconds = max(self.cpu_seconds, _cpu_seconds(program))
            own_kib = sum(_number(status.get(name, "")) for name in _OWN_MEMORY)
            if own_kib > self._limits.memory_mib * 1024:
                return "memory"
            if _number(status.get("Threads", "")) > self._limits.threads:
                return "threads"
        return "disk" if self.disk_is_full() else ""

    def disk_is_full(self) -> bool:
        """Return whether the folder holds more than it may, or its file system is nearly full."""
        if bytes_left(self._folder) < FLOOR_BYTES:
            return True
        used = files = 0
        with contextlib.suppress(OSError):
            for entry in os.scandir(self._folder):
                with contextlib.suppress(FileNotFoundError):
                    used += entry.stat(follow_symlinks=False).st_blocks * 512
                files += 1
                if (
                    used > self._limits.folder_bytes
                    or files > self._limits.folder_files
                ):
                    return True
        return False

    def file_is_full(self) -> bool:
        """Return whether a file in the folder has reached the size that a file may have."""
        with contextlib.suppress(OSError):
            return any(
                entry.stat(follow_symlinks=False).st_size >= self._limits.file_bytes
                for entry in os.scandir(self._folder)
            )
        return False


def bytes_left(folder: Path) -> int:
    """Return how many bytes the file system of `folder` has left for this user."""
    room = os.statvfs(folder)
    return room.f_bavail * room.f_frsize


def children(process: int) -> list[int]:
    """Return the ids of the children of `process`; empty if it has none or is gone."""
    try:
        return [
            int(word)
            for task in (_PROC / str(process) / "task").iterdir()
            for word in (task / "children").read_text().split()
        ]
    except FileNotFoundError:
        # Gone, or a kernel without that file.
        return [
            int(entry.name)
            for entry in _PROC.iterdir()
            if entry.name.isdecimal()
            and _status(int(entry.name)).get("PPid") == str(process)
        ]
    except OSError:
        return []


def descendant(process: int, depth: int) -> int:
    """Return the only descendant of `process` that many generations below it; 0 if there is none yet."""
    for _ in range(depth):
        below = children(process)
        if len(below) != 1:
            return 0
        process = below[0]
    return process


def _status(process: int) -> dict[str, str]:
    try:
        lines = (_PROC / str(process) / "status").read_text().splitlines()
    except OSError:
        return {}
    return {
        name: value.strip()
        for name, _, value in (line.partition(":") for line in lines)
    }


def _number(text: str) -> int:
    word = text.partition(" ")[0]
    return int(word) if word.isdecimal() else 0


def _cpu_seconds(process: int) -> float:
    try:
        words = (_PROC / str(process) / "stat").read_text().rpartition(")")[2].split()
        return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")
    except (OSError, IndexError, ValueError):
        return 0.0
