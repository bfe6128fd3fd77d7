"""Find the toolchains of elan on this machine. Nothing is installed and elan itself is never started."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from workbench.lean.toolchain import ToolchainMissing
from workbench.lean.wanted import VERSION, Wanted


def toolchains_folder(setting: str, environment: Mapping[str, str]) -> Path:
    """Return the folder with the toolchains: what the setting says, else elan's own below ELAN_HOME or `~/.elan`."""
    if setting:
        return Path(setting)
    home = environment.get("ELAN_HOME") or str(Path.home() / ".elan")
    return Path(home, "toolchains")


def installed(folder: Path) -> dict[str, Path]:
    """Return name → folder of every toolchain: a folder with `bin/lean` in it. None where `folder` cannot be read.

    `folder` may be one toolchain itself; it is called by its own name then.
    """
    if _is_toolchain(folder):
        return {folder.name: folder}
    try:
        found = sorted(folder.iterdir())
    except OSError:
        return {}
    return {path.name: path for path in found if _is_toolchain(path)}


def tag_in(name: str) -> str:
    """Return what of a folder's name tells toolchains of one origin apart: `4.29.1`, `nightly-2026-01-02`, `mine`."""
    tag = name.rpartition("---")[2]
    return version_in(name) or tag


def version_in(name: str) -> str:
    """Return the version that a folder of elan is named after: `4.29.1` for `leanprover--lean4---v4.29.1`; else empty."""
    found = VERSION.fullmatch(name.rpartition("---")[2])
    return found.group(1) if found else ""


def find(wanted: Wanted, folder: Path) -> Path:
    """Return the folder of the toolchain that is wanted. Raises ToolchainMissing, naming it and those that are there."""
    there = installed(folder)
    if wanted.folder in there:
        return there[wanted.folder]
    if list(there.values()) == [folder]:
        return folder  # the setting leads to one toolchain: what it is, it says itself
    for name, path in there.items():
        if wanted.version and version_in(name) == wanted.version:
            return path
    raise ToolchainMissing(missing(wanted, sorted(there), folder))


def missing(wanted: Wanted, there: list[str], folder: Path) -> str:
    """Return the message for a toolchain that is not there, with what is and the remedy."""
    names = ", ".join(there) if there else "none"
    return (
        f"the instance asks for {wanted.words}, and this machine has {names} in {folder}. "
        f"Remedy: elan toolchain install {wanted.spec}, or set WORKBENCH_LEAN_TOOLCHAINS to the folder that has it, or bin/workbench adapt INSTANCE --to pocket"
    )


def _is_toolchain(folder: Path) -> bool:
    lean = folder / "bin" / "lean"
    return lean.is_file() and os.access(lean, os.X_OK)
