"""What this machine can grade, and what a run needs of a machine."""

from __future__ import annotations

from collections.abc import Iterable

from adjudication.grading.grader import Grader
from adjudication.grading.lean import wanted_by
from adjudication.management.grading import machine_grader
from curation.format.instance import Instance
from workbench.commands import WrongUse
from workbench.jobs import offers
from workbench.lean.wanted import Wanted
from workbench.leans import machine_leans


def capability(lean_version: str) -> tuple[str, ...]:
    """Return what a worker must offer to grade an instance that pins `lean_version` (text of its lean-toolchain)."""
    return (
        f"lean:{lean_version.strip().rsplit(':', 1)[-1].removeprefix('v') or 'any'}",
    )


_graders: dict[Wanted, Grader] = {}


def grader_for(instance: Instance) -> Grader:
    """Return the grader of this machine with the Lean that `instance` asks for, probed once a process and Lean.

    Raises WrongUse where this machine has no such Lean or no sandbox, NotGradable where the instance asks for none.
    """
    asked = wanted_by(instance)
    if asked not in _graders:
        _graders[asked] = machine_grader(instance)
    return _graders[asked]


@offers
def offered() -> Iterable[str]:
    """Return the Leans of this machine as capabilities."""
    return machine_leans().capabilities()


def usable() -> str:
    """Return "" where this machine can grade on pocket Lean, else why not."""
    try:
        machine_grader()
    except WrongUse as error:
        return str(error)
    return ""
