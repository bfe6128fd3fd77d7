"""What decides about the bytes that a toolchain compiles, as one hash: its programs, its shared libraries, its compiled library.

A toolchain has a gigabyte of it, so hashes are kept in a file. A file that has the size, time and number that it had is
not read again: toolchains belong to the operator, and whoever can change them can change this program.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

_FORMAT = "elan files 1"
_PROGRAMS = ("lean", "leanchecker")
_MODULE = re.compile(r"\.olean$")
_SHARED = re.compile(r"\.so(\.\d+)*$")
# `.ir` is what a module's macros and tactics run as: it decides about the bytes of the modules above.
_COMPILED = re.compile(r"\.(olean|olean\.server|olean\.private|ir|ir\.sig)$")


def toolchain_digest(root: Path, packages: Sequence[Path], cache: Path) -> str:
    """Return the SHA-256 (hex) over what decides: `root`, a toolchain, and folders with compiled packages.

    `cache` is the folder in which hashes of files are kept, made when needed. Raises OSError.
    """
    known = _Kept(cache, root)
    total = hashlib.sha256(b"elan 1\n")
    for number, (folder, files) in enumerate(
        [(root, _files_of(root)), *((folder, _compiled(folder)) for folder in packages)]
    ):
        for path in files:
            line = f"{number} {path.relative_to(folder).as_posix()} {known.digest(path)}\n"  # fmt: skip
            total.update(line.encode())
    known.save()
    return total.hexdigest()


def _files_of(root: Path) -> Iterator[Path]:
    for name in _PROGRAMS:
        if (root / "bin" / name).is_file():
            yield root / "bin" / name
    yield from _below(root / "lib", _SHARED, _COMPILED)


def _compiled(folder: Path) -> Iterator[Path]:
    return _below(folder, _COMPILED)


def _below(folder: Path, *patterns: re.Pattern[str]) -> Iterator[Path]:
    for place, folders, names in os.walk(folder):
        folders.sort()
        for name in sorted(names):
            if any(pattern.search(name) for pattern in patterns):
                yield Path(place, name)


class _Kept:
    """Hashes of files by path, each with the size, time and number of the file that had it."""

    def __init__(self, cache: Path, root: Path) -> None:
        name = hashlib.sha256(str(root).encode()).hexdigest()[:16]
        self.file = cache / f"elan-{name}.json"
        self.before: dict[str, Any] = self._read()
        self.now: dict[str, Any] = {}

    def _read(self) -> dict[str, Any]:
        try:
            document = json.loads(self.file.read_text(encoding="utf-8"))
            files = document["files"] if document["format"] == _FORMAT else {}
        except (OSError, ValueError, KeyError, TypeError):
            return {}
        return files if isinstance(files, dict) else {}

    def digest(self, path: Path) -> str:
        status = path.stat()
        seen = [status.st_size, status.st_mtime_ns, status.st_ino]
        entry = self.before.get(str(path))
        if not isinstance(entry, list) or entry[:3] != seen:
            with path.open("rb") as file:
                entry = [*seen, hashlib.file_digest(file, "sha256").hexdigest()]
        self.now[str(path)] = entry
        return str(entry[3])

    def save(self) -> None:
        if self.now == self.before:
            return
        self.file.parent.mkdir(parents=True, exist_ok=True)
        draft = self.file.with_name(f"{self.file.name}.{os.getpid()}")
        draft.write_text(json.dumps({"format": _FORMAT, "files": self.now}), encoding="utf-8")  # fmt: skip
        os.replace(draft, self.file)


def header_of(folders: Iterable[Path]) -> bytes:
    """Return the first 88 bytes of a compiled file below `folders`, whose version and build every file of this Lean bears.

    Raises OSError where there is none.
    """
    for folder in folders:
        for path in _below(folder, _MODULE):
            with path.open("rb") as file:
                return file.read(88)
    raise OSError("no compiled file in the library of this toolchain")
