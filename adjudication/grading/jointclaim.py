"""The joint claim of a `codeproof` submission: which specs it names, and the text of its file. Source: instance-format.md, "Two modes"."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from curation.format.artifact import Artifact
from curation.format.entries import Spec
from curation.format.instance import Instance
from curation.format.markers import BENCHMARK, SOLUTION, SlotIdentity
from curation.format.render import joint_statement
from curation.format.slots import JOINT_NAME

_LIST = re.compile(r"specs\s*=\s*\[([^\]]*)\]")
CLAIM: SlotIdentity = (BENCHMARK, "claim", JOINT_NAME)
PROOF: SlotIdentity = (BENCHMARK, "proof", JOINT_NAME)


@dataclass(frozen=True, slots=True)
class JointClaim:
    """Specs that a submission says cannot all hold, in its order. `error` says why it is no claim."""

    specs: tuple[Spec, ...] = ()
    error: str = ""

    @property
    def made(self) -> bool:
        return bool(self.specs) and not self.error


def read_claim(instance: Instance, artifact: Artifact) -> JointClaim | None:
    """Return the claim of a submission, or None if it makes none."""
    bodies = {
        item.slot[1:4]: item
        for item in artifact.slots
        if item.slot.file == instance.joint_path and item.found
    }
    solution = bodies.get((SOLUTION, SOLUTION, JOINT_NAME))
    proof = bodies.get(PROOF)
    if solution is None or proof is None or proof.is_empty:
        return None
    match = _LIST.search(solution.body)
    names = [name.strip() for name in match[1].split(",")] if match else []
    names = [name.removeprefix("_root_.") for name in names if name]
    if not names or any(name.startswith("<") for name in names):
        return None
    found: list[Spec] = []
    for name in names:
        known = [s for s in instance.specs if name in (s.name, s.full_name)]
        if len(known) != 1:
            return JointClaim(
                error=f"expected one spec called {name}, found {len(known)}"
            )
        found.append(known[0])
    if len({spec.full_name for spec in found}) != len(found):
        return JointClaim(error="it names a spec twice")
    if len(found) < 2:
        return JointClaim(error="it names fewer than two specs")
    return JointClaim(tuple(found))


def claim_bodies(
    instance: Instance,
    claim: JointClaim,
    proof: str,
    dropped: Collection[str] = (),
) -> Mapping[SlotIdentity, str]:
    """Return the bodies of the slots `claim` and `proof` of the Joint file.

    `dropped` are full names of specs in whose place `True` stands.
    """
    names = [spec.full_name for spec in claim.specs]
    statement = joint_statement(instance, names)
    head, _, conjunction = statement.partition(", ")
    parts = [
        "True" if name in dropped else part
        for name, part in zip(names, conjunction.split(" ∧ "), strict=True)
    ]
    text = f"theorem {JOINT_NAME} : {head}, {' ∧ '.join(parts)} := by"
    return {CLAIM: text, PROOF: proof}
