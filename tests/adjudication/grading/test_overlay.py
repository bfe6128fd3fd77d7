from __future__ import annotations

from dataclasses import replace

from adjudication.grading.canaries import ground
from adjudication.grading.canaries.canary import (
    REFERENCE,
    Canary,
    SlotKey,
    code,
    joint,
    proof,
    shared,
    submission,
)
from adjudication.grading.checking import Checked, check
from adjudication.grading.overlay import Trees, overlay, reduced_joint, tree_digest
from adjudication.grading.screen import Policy
from curation.format.render import render

SOME = Canary("some", "", "", {}, {})


def checked(bodies: dict[SlotKey, str], mode: str = "proof") -> Checked:
    handed_in = submission(replace(SOME, bodies=bodies, mode=mode))
    return check(ground.instance(), mode, handed_in, Policy())


def trees(bodies: dict[SlotKey, str], mode: str = "proof") -> Trees:
    return overlay(checked(bodies, mode))


def test_an_empty_submission_is_the_pristine_tree() -> None:
    for mode in ("proof", "codeproof"):
        found = trees({}, mode)
        assert found.graded == found.pristine == render(ground.instance(), mode)
        assert found.touched == frozenset()


def test_the_same_submission_gives_the_same_digest() -> None:
    bodies = {**REFERENCE, **proof("double", "  rfl")}
    digests = {tree_digest(trees(bodies, "codeproof").graded) for _ in range(2)}
    assert len(digests) == 1
    assert digests != {tree_digest(trees(proof("double", "  rfl"), "codeproof").graded)}


def test_only_slots_are_taken_and_only_into_their_files() -> None:
    found = trees(
        {**proof("double", "  exact mine"), **shared("theorem mine : True := trivial")}
    )
    assert found.touched == {ground.PROOF}
    text = found.graded[ground.PROOF].decode()
    assert "  exact mine\n-- !benchmark @end proof def=prove_double" in text
    assert "theorem mine : True := trivial\n-- !benchmark @end global_aux" in text


def test_an_unfilled_proof_stays_as_it_was() -> None:
    found = trees(proof("double", "  have h : True := sorry\n  exact broken"))
    assert found.touched == frozenset()


def test_a_refused_slot_is_not_rendered() -> None:
    found = trees(
        {**proof("double", "  rfl", "#exit"), **proof("weight", "  rfl\nend")}
    )
    text = found.graded[ground.PROOF].decode()
    assert "#exit" not in text
    assert "  rfl\n-- !benchmark @end proof def=prove_double" in text
    assert "  sorry\n-- !benchmark @end proof def=prove_weight" in text


def test_an_empty_code_slot_keeps_its_sorry() -> None:
    found = trees({(ground.CORE, "code", "double"): "  -- nothing"}, "codeproof")
    assert found.touched == frozenset()


def test_emptied_slots_are_left_out_with_their_lemmas() -> None:
    both = checked(
        {
            **proof("double", "  exact a", "theorem a : P := b"),
            **proof("limit", "  exact c"),
        }
    )
    found = overlay(both, {(ground.PROOF, "prove_double")})
    text = found.graded[ground.PROOF].decode()
    assert "theorem a" not in text
    assert "exact a" not in text
    assert "exact c" in text


def test_the_statement_of_a_joint_claim_is_written_by_us() -> None:
    name = "joint_unsatisfiability"
    bodies = {
        **joint(["double", "never"], "  exact mine"),
        (ground.JOINT, "claim", name): f"theorem {name} : True := by",
    }
    found = trees(bodies, "codeproof")
    expected = f"theorem {name} : ¬ ∃ impl : _root_.RepoImpl, _root_.Tiny.Spec.spec_double impl ∧ _root_.Tiny.Spec.spec_never impl := by"
    for tree, body in ((found.pristine, "  sorry"), (found.graded, "  exact mine")):
        text = tree[ground.JOINT].decode()
        assert expected in text
        assert f"{body}\n-- !benchmark @end proof def={name}" in text
        assert ": True" not in text


def test_a_reduced_claim_has_true_in_the_place_of_a_spec() -> None:
    claimed = checked(joint(["double", "flip", "never"], "  exact mine"), "codeproof")
    found = overlay(claimed)
    text = reduced_joint(claimed, found.graded, ["Tiny.Spec.spec_flip"]).decode()
    assert (
        "∃ impl : _root_.RepoImpl, _root_.Tiny.Spec.spec_double impl ∧ True ∧ _root_.Tiny.Spec.spec_never impl := by"
        in text
    )
    assert "exact mine" in text


def test_a_claim_that_is_none_leaves_the_file_alone() -> None:
    for specs in (["never"], ["never", "never"], ["never", "unknown"]):
        claimed = checked(joint(specs, "  exact mine"), "codeproof")
        assert claimed.joint is not None
        assert claimed.joint.error
        assert overlay(claimed).touched == frozenset()
    assert checked(joint([], "  exact mine"), "codeproof").joint is None
    assert (
        checked(joint(["double", "never"], "  -- nothing"), "codeproof").joint is None
    )


def test_what_a_slot_serves() -> None:
    bodies = {
        **REFERENCE,
        **code("double", "  fun n => n", "axiom a : False"),
        **proof("flip", "  admit"),
    }
    found = checked(bodies, "codeproof")
    (prove, _, _) = found.obligations["Tiny.Spec.spec_flip"]
    assert [report.slot.key for report in found.serving(prove)] == [
        "imports",
        "global_aux",
        "proof_aux",
        "proof",
    ]
    assert {report.slot.file for report in found.implementation} == {ground.CORE}
