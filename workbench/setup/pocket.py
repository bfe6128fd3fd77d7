"""Whether this machine can have the pocket Lean, the real Lean 4 that comes as a Python package."""

from __future__ import annotations

import os
import platform
import sys

OLDEST_GLIBC = (2, 35)


def obstacle(
    system: str | None = None, machine: str | None = None, libc: str | None = None
) -> str:
    """Return why the pocket Lean cannot be installed here, or "".

    The package is built for x86-64 Linux with glibc 2.35 or newer. The arguments stand for this machine's own words.
    """
    system = sys.platform if system is None else system
    machine = platform.machine() if machine is None else machine
    libc = _libc() if libc is None else libc
    if system != "linux":
        return f"it is built for Linux, and this is {system}"
    if machine.lower() not in ("x86_64", "amd64"):
        return f"it is built for x86-64 processors, and this one is {machine}"
    name, _, number = libc.partition(" ")
    parts = tuple(int(part) for part in number.split(".")[:2] if part.isdigit())
    if name != "glibc" or len(parts) < 2:
        return f"it needs glibc 2.35 or newer, and this system has {libc or 'another C library'}"
    if parts < OLDEST_GLIBC:
        return f"it needs glibc 2.35 or newer, and this system has {number}"
    return ""


def _libc() -> str:
    try:
        return os.confstr("CS_GNU_LIBC_VERSION") or ""
    except (ValueError, OSError):
        return ""
