"""What a run tells of the terms that its revision compiles to, for the approvals of the review loop.

A run on an adaptation tells nothing: nearly every file of it was edited, and where one was not, its terms rest on
another library than the one that the revision asks for.
"""

from __future__ import annotations

from collections.abc import Mapping

from adjudication.grading.grader import Case, Grader
from adjudication.grading.terms import Key
from adjudication.grading.version import grader_digest
from adjudication.runs.models import GradingRun
from curation.instances.actions.publish_terms import Compiled
from curation.instances.models import Revision
from curation.instances.selectors.terms import untold
from workbench.lean.termhash import SCHEME


def untold_terms(run: GradingRun, grader: Grader) -> set[Key]:
    """Return the definitions of the run's revision of which no build has told under this toolchain. Two queries."""
    if run.adaptation_id is not None:
        return set()
    return untold_of(run.revision, grader)


def untold_of(revision: Revision, grader: Grader) -> set[Key]:
    """Return the definitions of `revision` of which no build has told under the toolchain of `grader`. Two queries."""
    return untold(revision, (grader.toolchain.digest, SCHEME))


def compiled(run: GradingRun, case: Case) -> Compiled | None:
    """Return what a grading found out about the terms of the run's revision, None for nothing."""
    if run.adaptation_id is not None or not case.terms:
        return None
    return told_by(case.grader, case.terms)


def told_by(
    grader: Grader, terms: Mapping[Key, str], failed: tuple[str, ...] | None = None
) -> Compiled:
    """Return `terms` as read by `grader` with its toolchain; `failed` files where all were built."""
    toolchain = grader.toolchain
    return Compiled(
        toolchain.kind,
        toolchain.version,
        toolchain.digest,
        grader_digest(),
        SCHEME,
        terms,
        failed,
    )
