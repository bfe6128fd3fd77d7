"""What of this machine every box may read: the interpreter, shared libraries, two devices."""

from __future__ import annotations

import functools
import sys
from collections.abc import Sequence
from pathlib import Path

# The last step of every kind of box: a script, shown to each.
SCRIPT = Path(__file__).resolve().with_name("confine.py")
# The null device may also be written.
DEVICES = (Path("/dev/null"), Path("/dev/urandom"))
_LIBRARIES = ("/usr/lib", "/usr/lib64", "/lib", "/lib64", "/etc/ld.so.cache", "/etc/ld.so.conf")  # fmt: skip


@functools.cache
def interpreter() -> Path:
    """Return the interpreter itself: no link of a virtual environment and no shim."""
    return Path(getattr(sys, "_base_executable", sys.executable)).resolve()


@functools.cache
def system_paths() -> Sequence[Path]:
    """Return the files and folders that the interpreter needs to run, and compiled programs to be loaded."""
    prefix = Path(sys.base_prefix).resolve()
    wanted = [Path(text) for text in _LIBRARIES] + [
        interpreter(),
        *(prefix / name for name in ("lib", "lib64")),
    ]
    return [path for path in dict.fromkeys(wanted) if path.exists()]
