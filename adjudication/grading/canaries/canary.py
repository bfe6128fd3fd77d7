"""What a canary is: a few filled slots, and what has to become of one spec."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from adjudication.grading.canaries import ground
from adjudication.grading.grader import MODULE_LIMITS
from adjudication.grading.intake import Submission
from adjudication.grading.outcomes import Outcome
from adjudication.grading.screen import Policy
from curation.format.artifact import Artifact, FilledSlot
from curation.format.instance import Instance
from workbench.lean.toolchain import Limits

SlotKey = tuple[str, str, str]
"""File, key and `def` of a slot."""


@dataclass(frozen=True)
class Canary:
    """A submission to the canaries' instance.

    `outcomes` are the outcomes that specs (without their namespace) must have, `reason` must occur in the detail of
    the first of them. `why` says what it tries, in one sentence.
    """

    id: str
    attack: str
    why: str
    bodies: Mapping[SlotKey, str]
    outcomes: Mapping[str, Outcome]
    reason: str = ""
    mode: str = "proof"
    policy: Policy = field(default_factory=Policy)
    limits: Limits = MODULE_LIMITS
    alarms: int = 0

    @property
    def honest(self) -> bool:
        return all(outcome == "passed" for outcome in self.outcomes.values())


def submission(canary: Canary, instance: Instance | None = None) -> Submission:
    """Return what a canary hands in: its slots filled, all others not there. `instance`: what it is about, for pocket Lean without one."""
    instance = instance or ground.instance()
    known = {(s.file, s.key, s.def_name) for s in instance.schedule(canary.mode)}
    unknown = canary.bodies.keys() - known
    if unknown:
        raise ValueError(f"canary {canary.id}: no such slots: {sorted(unknown)}")
    slots = []
    for slot in instance.schedule(canary.mode):
        body = canary.bodies.get((slot.file, slot.key, slot.def_name))
        lines = tuple(body.split("\n")) if body is not None else ()
        error = "" if body is not None else "no such slot in the artifact"
        slots.append(FilledSlot(slot, body is not None, lines, error=error))
    return Submission(Artifact("canaries", canary.mode, tuple(slots)))


def proof(
    spec: str, body: str, aux: str = "", kind: str = "prove", file: str = ground.PROOF
) -> dict[SlotKey, str]:
    """Return the slots that settle a spec (`spec_` left out): a proof and, if given, the lemmas before it."""
    name = f"{kind}_{spec}"
    found = {(file, "proof", name): body}
    if aux:
        found[file, "proof_aux", name] = aux
    return found


def shared(text: str, file: str = ground.PROOF) -> dict[SlotKey, str]:
    """Return the slot at the head of a file."""
    return {(file, "global_aux", ""): text}


def code(name: str, body: str, aux: str = "") -> dict[SlotKey, str]:
    """Return the slots of an implementation."""
    found = {(ground.CORE, "code", name): body}
    if aux:
        found[ground.CORE, "code_aux", name] = aux
    return found


def joint(specs: list[str], body: str, aux: str = "") -> dict[SlotKey, str]:
    """Return the slots of a joint claim."""
    name = "joint_unsatisfiability"
    listed = ", ".join(f"spec_{spec}" for spec in specs)
    found = {
        (ground.JOINT, "solution", name): f"-- specs=[{listed}]",
        (ground.JOINT, "proof", name): body,
    }
    if aux:
        found[ground.JOINT, "proof_aux", name] = aux
    return found


REFERENCE: Mapping[SlotKey, str] = {
    **code("double", "  fun n => n + n"),
    **code("flip", "  fun c => match c with\n    | .red => .blue\n    | .blue => .red"),
}

DOUBLE = "  intro n; rfl"
"""A proof of `spec_double` for the reference."""


def on_false_spec(
    id: str,
    attack: str,
    why: str,
    body: str,
    aux: str,
    outcome: Outcome,
    reason: str,
    *,
    head: str = "",
    policy: Policy | None = None,
) -> Canary:
    """A cheat that claims the false spec in `proof` mode."""
    bodies: dict[SlotKey, str] = proof("never", body, aux)
    if head:
        bodies |= shared(head)
    return Canary(
        id, attack, why, bodies, {"never": outcome}, reason, policy=policy or Policy()
    )


def bad_slot(id: str, attack: str, why: str, aux: str, reason: str) -> Canary:
    """A true spec with an honest proof behind lemmas that the grammar or a rule refuses."""
    return Canary(
        id, attack, why, proof("double", DOUBLE, aux), {"double": "build_error"}, reason
    )


def in_code(
    id: str,
    attack: str,
    why: str,
    bodies: dict[SlotKey, str],
    spec: str,
    outcome: Outcome,
    reason: str,
) -> Canary:
    """A cheat in the implementation, in `codeproof` mode."""
    return Canary(
        id,
        attack,
        why,
        {**REFERENCE, **bodies},
        {spec: outcome},
        reason,
        mode="codeproof",
    )
