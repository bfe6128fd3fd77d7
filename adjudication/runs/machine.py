"""What this machine can grade, and what a run needs of a machine."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from pathlib import Path

from django.conf import settings

from adjudication.grading.grader import Grader
from adjudication.management.grading import machine_grader
from workbench.commands import WrongUse
from workbench.jobs import offers
from workbench.lean.pocket.toolchain import PocketToolchain
from workbench.lean.toolchain import ToolchainMissing


def capability(lean_version: str) -> tuple[str, ...]:
    """Return what a worker must offer to grade an instance that pins `lean_version` (text of its lean-toolchain)."""
    return (
        f"lean:{lean_version.strip().rsplit(':', 1)[-1].removeprefix('v') or 'any'}",
    )


@cache
def grader_here() -> Grader:
    """Return the grader of this machine, probed once a process. Raises WrongUse."""
    return machine_grader()


@offers
def offered() -> Iterable[str]:
    """Yield the Lean versions of this machine as capabilities; none where no Lean starts."""
    try:
        toolchain = PocketToolchain(Path(settings.DATA_DIR) / "cache" / "lean")
        yield f"lean:{toolchain.version}"
    except ToolchainMissing:
        return


def usable() -> str:
    """Return "" where this machine can grade, else why not."""
    try:
        grader_here()
    except WrongUse as error:
        return str(error)
    return ""
