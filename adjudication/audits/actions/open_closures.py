"""Clean negative outcomes of a run become closures, and closures become findings. Drawn by the system from each run."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from adjudication.audits.actions.place_closure import place_closure
from adjudication.audits.actions.repair_finding import check_joined
from adjudication.audits.grouping import JOINT, group_of
from adjudication.audits.models import Closure, Finding
from adjudication.audits.states import CLOSED, REOPENED, move
from adjudication.audits.witness import witness_for
from adjudication.grading.intake import WITNESS_NAME
from adjudication.runs.models import GradingRun, Outcome
from curation.format.artifact import ARTIFACT_NAME
from curation.format.slots import JOINT_NAME
from curation.instances.locks import hold_instances
from curation.instances.models import Definition, Placement
from workbench.content.trees import read_file
from workbench.events.log import record

_NEGATIVE = ("disprove", "unsat")


@dataclass(frozen=True)
class Negative:
    """One negative claim of a run that holds. `slot` is the name of the proof slot in which it was proved."""

    route: str
    specs: Sequence[Definition]
    theorem: str
    statement: str
    axioms: str
    lights: str
    slot: str


def open_closures(run: GradingRun) -> list[Closure]:
    """Return the closures that `run` brought, each in its finding. A consequence of a run that became current.

    What is known already (same revision, configuration, theorem and proof) is not opened again.
    """
    negatives = _negatives(run)
    if not negatives:
        return []
    # Findings of one instance are numbered and grouped one at a time.
    instance = hold_instances([run.instance_id])[run.instance_id]
    bodies = _bodies(run)
    witnesses = read_file(run.submission.files, WITNESS_NAME)
    opened = []
    for negative in negatives:
        proof = bodies.get(negative.slot, "")
        digest = hashlib.sha256(proof.encode()).hexdigest()
        known = Closure.objects.filter(
            revision=run.revision_id,
            configuration=run.submission.configuration_id,
            route=negative.route,
            theorem=negative.theorem,
            statement=negative.statement,
            proof_hash=digest,
        )
        if known.exists():
            continue
        group = group_of(instance.pk, negative.route, negative.specs)
        placed = place_closure(
            instance,
            group,
            route=negative.route,
            specs=negative.specs,
            proof_hash=digest if proof else "",
        )
        finding = placed.finding
        closure = Closure.objects.create(
            finding=finding,
            instance=instance,
            revision=run.revision,
            run=run,
            configuration=run.submission.configuration,
            route=negative.route,
            theorem=negative.theorem,
            statement=negative.statement,
            axioms=negative.axioms,
            lights=negative.lights,
            proof=proof,
            proof_hash=digest,
            witness=witness_for(witnesses, negative.theorem, negative.specs),
            grouped_because=placed.because[:300],
        )
        closure.specs.set(negative.specs)
        record(
            "closure.opened",
            None,
            finding,
            implicit=True,
            theorem=negative.theorem,
            run=run.pk,
            route=negative.route,
        )
        check_joined(finding, closure)
        reopen_if_closed(finding, run)
        opened.append(closure)
    return opened


def reopen_if_closed(finding: Finding, run: GradingRun) -> None:
    """Open a closed finding again when `run` shows that its closure holds on a later revision than it was closed on."""
    if finding.state not in CLOSED:
        return
    repaired = finding.repairs.select_related("revision").first()
    seen = [closure.revision.number for closure in finding.closures.exclude(run=run)]
    last = repaired.revision.number if repaired else max(seen, default=0) + 1
    if run.revision.number < last:
        return  # an older revision tells nothing new
    move(
        finding,
        REOPENED[finding.state],
        None,
        reason=f"the closure still checks on r{run.revision.number}",
    )
    record("finding.reopened", None, finding, implicit=True, run=run.pk)


def _negatives(run: GradingRun) -> list[Negative]:
    passed = run.outcomes.filter(outcome="passed", route__in=_NEGATIVE)
    outcomes = passed.exclude(definition=None).select_related("definition")
    found = [
        Negative(
            outcome.route,
            [_of(outcome)],
            outcome.theorem,
            outcome.statement,
            outcome.axioms,
            outcome.lights,
            outcome.theorem.rsplit(".", 1)[-1],
        )
        for outcome in outcomes
    ]
    joint = _joint(run)
    return [*found, joint] if joint is not None else found


def _of(outcome: Outcome) -> Definition:
    assert outcome.definition is not None
    return outcome.definition


def _joint(run: GradingRun) -> Negative | None:
    if run.receipt is None:
        return None
    joint = json.loads(bytes(run.receipt.data))["verdict"].get("joint") or {}
    if not joint.get("holds"):
        return None
    names = joint["core"] or joint["specs"]
    placed = Placement.objects.filter(
        revision=run.revision_id, definition__lean_name__in=names
    ).select_related("definition")
    specs = [placement.definition for placement in placed]
    if len(specs) < 2:
        return None
    statement = hashlib.sha256("\n".join(sorted(names)).encode()).hexdigest()
    # A joint claim that holds was built, compared and replayed like any theorem; its box is that of the run.
    lights = "gggg-" if "not proven" in run.sandbox else "ggggg"
    return Negative(
        JOINT,
        specs,
        JOINT_NAME,
        statement,
        "\n".join(joint.get("axioms", ())),
        lights,
        JOINT_NAME,
    )


def _bodies(run: GradingRun) -> dict[str, str]:
    """Return the text of each proof slot by the name of its theorem."""
    raw = read_file(run.submission.files, ARTIFACT_NAME)
    document: dict[str, Any] = json.loads(raw) if raw else {}
    found = {}
    for slot in document.get("slots", ()):
        if slot.get("def_name") and slot["key"] == "proof":
            found[slot["def_name"]] = "\n".join(slot["body_lines"])
    return found
