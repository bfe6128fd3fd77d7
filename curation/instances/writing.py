"""Write a tree of files into a new folder, all of it or nothing."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path


class FolderInTheWay(Exception):
    """The folder to be written is there already and holds something."""


def write_tree(files: Mapping[str, bytes], folder: Path) -> None:
    """Write `files` (path → bytes) to `folder`, which must be missing or empty.

    Written beside it first and renamed, so that an interruption leaves nothing half-done. Raises `FolderInTheWay`,
    OSError.
    """
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise FolderInTheWay(f"{folder} is there already and not an empty folder")
    folder.parent.mkdir(parents=True, exist_ok=True)
    draft = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=folder.parent))
    try:
        for path, data in files.items():
            target = draft / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(data)
        os.chmod(draft, 0o755)  # noqa: S103  # mkdtemp's 0700 is for secrets; this is an export for others to read
        if folder.exists():
            folder.rmdir()
        draft.rename(folder)
    except BaseException:
        shutil.rmtree(draft, ignore_errors=True)
        raise
