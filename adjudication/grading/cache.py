"""Compiled modules kept under the hash of everything that decides about their bytes. Source: grading.md, step 6."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from workbench.lean.toolchain import Diagnostic, ModuleResult

MODULE = "module.olean"
RECORD = "record.json"


@dataclass(frozen=True)
class Kept:
    """A module in the cache: its file, the SHA-256 (hex) of that, and what was said when it was built."""

    file: Path
    sha256: str
    result: ModuleResult


def module_keys(
    order: Sequence[str],
    imports: Mapping[str, Sequence[str]],
    texts: Mapping[str, bytes],
    compiler: str,
    options: Mapping[str, str],
) -> dict[str, str]:
    """Return module → key (hex) for the modules of a tree, given in import order.

    The key covers compiler, options, name, own bytes and the keys of all imports; imports outside the tree belong to the
    compiler's library and are covered by `compiler`.
    """
    head = json.dumps([compiler, sorted(options.items())])
    keys: dict[str, str] = {}
    for module in order:
        own = hashlib.sha256(texts[module]).hexdigest()
        below = [[name, keys.get(name, "library")] for name in imports[module]]
        text = json.dumps([head, module, own, below])
        keys[module] = hashlib.sha256(text.encode()).hexdigest()
    return keys


class Marks:
    """What was established before: empty files in a folder, each named by a hash (hex) of all that decides about it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def __contains__(self, key: str) -> bool:
        return self._place(key).is_file()

    def add(self, key: str) -> None:
        place = self._place(key)
        place.parent.mkdir(parents=True, exist_ok=True)
        place.touch()

    def _place(self, key: str) -> Path:
        return self.folder / key[:2] / key


class ModuleCache:
    """Built modules below a folder, one folder a key. Only modules that were built are kept; a folder appears by one rename."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def find(self, key: str) -> Kept | None:
        """Return the module kept under `key` if it is there and has the bytes that its record says."""
        place = self._place(key)
        try:
            record: Any = json.loads((place / RECORD).read_text(encoding="utf-8"))
            with (place / MODULE).open("rb") as file:
                found = hashlib.file_digest(file, "sha256").hexdigest()
            if record["sha256"] != found:
                return None
            diagnostics = tuple(Diagnostic(**entry) for entry in record["diagnostics"])
            result = ModuleResult(
                record["module"],
                record["file"],
                "built",
                diagnostics,
                record["seconds"],
                record["peak_kib"],
                sha256=found,
            )
        except (OSError, ValueError, KeyError, TypeError):
            return None
        return Kept(place / MODULE, found, result)

    def keep(self, key: str, file: Path, result: ModuleResult) -> None:
        """Keep a built module under `key`; what is there already stays, unless it is damaged."""
        if self.find(key) is not None:
            return
        place = self._place(key)
        place.parent.mkdir(parents=True, exist_ok=True)
        draft = Path(tempfile.mkdtemp(prefix=".new-", dir=place.parent))
        try:
            shutil.copyfile(file, draft / MODULE)
            with (draft / MODULE).open("rb") as copied:
                digest = hashlib.file_digest(copied, "sha256").hexdigest()
            record = {
                "module": result.module,
                "file": result.file,
                "sha256": digest,
                "seconds": result.seconds,
                "peak_kib": result.peak_kib,
                "diagnostics": [
                    {
                        "file": d.file,
                        "line": d.line,
                        "column": d.column,
                        "severity": d.severity,
                        "kind": d.kind,
                        "message": d.message,
                    }
                    for d in result.diagnostics
                ],
            }
            (draft / RECORD).write_text(json.dumps(record), encoding="utf-8")
            if place.exists():
                shutil.rmtree(place)
            os.rename(draft, place)
        except FileExistsError:
            pass  # another process was faster with the same content
        finally:
            shutil.rmtree(draft, ignore_errors=True)

    def _place(self, key: str) -> Path:
        return self.folder / key[:2] / key
