"""Which grader this is: a hash over the sources that decide a verdict."""

from __future__ import annotations

import functools
import hashlib
from pathlib import Path

_PACKAGES = ("adjudication/grading", "curation/format", "workbench/lean")
_ROOT = Path(__file__).resolve().parents[2]


@functools.cache
def grader_digest() -> str:
    """Return the SHA-256 (hex) over the Python sources of the pure packages that grade."""
    total = hashlib.sha256()
    for package in _PACKAGES:
        for file in sorted((_ROOT / package).rglob("*.py")):
            total.update(file.relative_to(_ROOT).as_posix().encode() + b"\0")
            total.update(hashlib.sha256(file.read_bytes()).digest())
    return total.hexdigest()
