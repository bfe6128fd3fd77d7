"""The trees that are built: the instance's own, and the one with a submission's slots in it. Source: grading.md, step 4."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from adjudication.grading.checking import Checked, SlotReport
from adjudication.grading.jointclaim import CLAIM, PROOF, claim_bodies
from curation.format.markers import SOLUTION, SlotIdentity, read_markers, rewrite
from curation.format.render import FileTree, render
from curation.format.slots import JOINT_NAME

SORRY = "  sorry"


@dataclass(frozen=True)
class Trees:
    """`pristine` has no text of the submission but the list of a joint claim's specs; `graded` has the accepted slots.

    `touched` are the files in which the two differ.
    """

    pristine: FileTree
    graded: FileTree

    @property
    def touched(self) -> frozenset[str]:
        return frozenset(
            path for path, data in self.graded.items() if self.pristine[path] != data
        )


def overlay(checked: Checked, emptied: Collection[tuple[str, str]] = ()) -> Trees:
    """Return the trees of a submission. Same instance, submission and mode: same bytes.

    `emptied` are slots, as file and `def`, whose proof and lemmas are left out. Raises FormatError for an instance that
    cannot be rendered.
    """
    pristine = render(checked.instance, checked.mode)
    _write_joint(checked, pristine)
    graded = dict(pristine)
    joint = checked.instance.joint_path
    for path, reports in checked.by_file.items():
        if path == joint and not (checked.joint and checked.joint.made):
            continue
        bodies = {
            report.slot[1:4]: report.item.body
            for report in reports
            if is_taken(report) and (path, report.slot.def_name) not in emptied
        }
        if bodies:
            graded[path] = rewritten(graded[path], bodies)
    return Trees(pristine, graded)


_EMPTIED = ("global_aux", "code_aux", "proof_aux")
"""Keys of slots that are empty in every pristine tree in which they can be filled."""


def is_taken(report: SlotReport) -> bool:
    """Return whether the body of a slot is put into the graded tree."""
    key = report.slot.key
    if not report.item.found or report.refused or key in ("claim", SOLUTION):
        return False
    if key == "proof":
        return report.filled
    if key in _EMPTIED:
        return bool(report.item.body_lines)
    # A lone `sorry` stands there already, where need be behind a head.
    return key != "code" or not (report.is_empty or report.item.body.strip() == "sorry")


def _write_joint(checked: Checked, tree: FileTree) -> None:
    """Write the statement of a joint claim into the tree, with `sorry` for its proof."""
    if checked.joint is not None and checked.joint.made:
        path = checked.instance.joint_path
        bodies = claim_bodies(checked.instance, checked.joint, SORRY)
        tree[path] = rewritten(tree[path], bodies)


def reduced_joint(
    checked: Checked, graded: FileTree, dropped: Collection[str]
) -> bytes:
    """Return the text of the graded Joint file with `True` in the place of some specs."""
    assert checked.joint is not None
    path = checked.instance.joint_path
    proof = checked.report(path, "proof", JOINT_NAME)
    bodies = claim_bodies(
        checked.instance, checked.joint, proof.item.body if proof else SORRY, dropped
    )
    return rewritten(graded[path], {CLAIM: bodies[CLAIM], PROOF: bodies[PROOF]})


def rewritten(data: bytes, bodies: Mapping[SlotIdentity, str]) -> bytes:
    """Return a file with the bodies of some slots replaced."""
    text = data.decode()
    return rewrite(text, bodies, read_markers("", text).slots).encode()


def tree_digest(tree: Mapping[str, bytes]) -> str:
    """Return the SHA-256 (hex) over paths and contents."""
    return digest_of_hashes(
        {path: hashlib.sha256(data).hexdigest() for path, data in tree.items()}
    )


def digest_of_hashes(hashes: Mapping[str, str]) -> str:
    """Return the `tree_digest` of the tree whose files have these SHA-256 (path → hex)."""
    total = hashlib.sha256()
    for path in sorted(hashes):
        total.update(hashlib.sha256(path.encode()).digest())
        total.update(bytes.fromhex(hashes[path]))
    return total.hexdigest()
