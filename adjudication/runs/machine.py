"""What this machine can grade, and what a run needs of a machine."""

from __future__ import annotations

import json
from collections.abc import Iterable
from functools import lru_cache

from adjudication.grading.grader import Grader
from adjudication.grading.lean import TOOLCHAIN_FILE, wanted_by
from adjudication.management.grading import machine_grader
from adjudication.runs.models import Adaptation
from curation.format.instance import Instance
from curation.instances.models import Revision
from workbench.content.models import Snapshot
from workbench.content.trees import read_file
from workbench.jobs import offers
from workbench.lean.elan.found import tag_in
from workbench.lean.wanted import Wanted, WantedError, wanted
from workbench.leans import machine_leans


def capability(asked: Wanted) -> tuple[str, ...]:
    """Return what a worker must offer to grade with the Lean that is asked for, as `Leans.capabilities` names it."""
    return (f"{asked.kind}:{asked.version or tag_in(asked.folder)}",)


def needs_of(
    revision: Revision, adaptation: Adaptation | None = None
) -> tuple[str, ...]:
    """Return what a worker must offer to grade against `revision`, or its adaptation. Three queries for one that was not asked about before.

    Nothing where the revision does not say which Lean it wants: then any worker takes the job, and the grader says why not.
    """
    tree = adaptation.snapshot if adaptation is not None else revision.snapshot
    return _needs(tree.digest, revision.lean_version)


@lru_cache(maxsize=4096)
def _needs(digest: str, lean_version: str) -> tuple[str, ...]:
    tree = Snapshot.objects.get(digest=digest)
    kind = ""
    try:
        manifest = json.loads(read_file(tree, "manifest.json") or b"{}")
        kind = manifest["toolchain"]["kind"]
    except (ValueError, RecursionError, KeyError, TypeError):
        pass  # no kind: elan's
    try:
        return capability(
            wanted(read_file(tree, TOOLCHAIN_FILE), lean_version, str(kind))
        )
    except WantedError:
        return ()


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
