"""Where things lie: the repository, its virtual environment, the data folder."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping
from pathlib import Path

from workbench.environment import BadEnvironment, Environment
from workbench.setup.words import Problem

ROOT = Path(__file__).resolve().parent.parent.parent
VENV = ROOT / ".venv"


def data_folder(environ: Mapping[str, str]) -> Path:
    """Return the data folder that `environ` names. Raises Problem for a bad environment."""
    try:
        return (ROOT / Environment(environ).text("WORKBENCH_DATA_DIR")).resolve()
    except BadEnvironment as bad:
        raise Problem(str(bad)) from None


def demand_writable(folder: Path, remedy: str) -> None:
    """Make `folder` where it is missing. Raises Problem, ending with `remedy`, if a file cannot be written in it."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise Problem(
            f"cannot write in {folder}: {(error.strerror or str(error)).lower()}. {remedy}"
        ) from None


def owner_name(path: Path) -> str:
    """Return the log-in name of the owner of `path`, or the number where it has none."""
    try:
        return path.owner()
    except (KeyError, OSError):
        return str(os.stat(path).st_uid) if path.exists() else "nobody"
