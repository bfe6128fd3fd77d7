"""Take out what a box has made, without trusting the folder that it made it in."""

from __future__ import annotations

import hashlib
import os
import shutil
import stat
from pathlib import Path


def take(folder: Path, name: str, target: Path) -> str:
    """Move the plain file `name` from the folder of an ended box to `target`, read-only; return its SHA-256 (hex).

    A link, a device or anything else that is no plain file with one name raises OSError, as does a missing one.
    """
    place = os.open(folder / name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    with os.fdopen(place, "rb") as file:
        status = os.fstat(file.fileno())
        if not stat.S_ISREG(status.st_mode) or status.st_nlink != 1:
            raise OSError(f"{folder / name} is no plain file")
        digest = hashlib.file_digest(file, "sha256").hexdigest()
        os.fchmod(file.fileno(), 0o444)
    shutil.move(folder / name, target)
    return digest
