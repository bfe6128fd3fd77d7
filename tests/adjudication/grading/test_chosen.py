"""Claims about every implementation must not lean on code that the submission chose itself.

`unsat`, `sat` and joint claims quantify over implementations. A spec may name an API directly instead of through the bundle; in
`codeproof` its value is the submission's, so that a wrong one would make such a claim true of nothing but itself.
"""

from __future__ import annotations

import pytest

from adjudication.grading.canaries import ground
from adjudication.grading.canaries.canary import (
    REFERENCE,
    Canary,
    SlotKey,
    code,
    joint,
    proof,
    submission,
)
from adjudication.grading.canaries.honest import CLASH, HONEST
from adjudication.grading.decide import Verdict, decide
from adjudication.grading.grader import Grader, grade
from curation.format.instance import Instance, load_files

pytestmark = pytest.mark.lean

OFF_BY_ONE = code("double", "  fun n => n + 1")
UNSAT = "  rintro ⟨impl, own⟩\n  have h : (1 : Nat) = impl.tiny.double 0 * 0 := own\n  rw [Nat.mul_zero] at h\n  exact absurd h (by decide)"
DIRECT = b"Tiny.double 0 = impl.tiny.double 0 * 0"


def instance(*, helper: bool) -> Instance:
    """Return the canaries' instance, whose `spec_even` names the API itself, or through a frozen helper."""
    files = dict(ground.instance().files)
    path = "Tiny/Spec/More.lean"
    body = DIRECT
    head = b""
    if helper:
        head = b"def atZero : Nat := Tiny.double 0\n\n"
        body = body.replace(b"Tiny.double 0", b"atZero")
    files[path] = (
        files[path]
        .replace(b"def spec_even", head + b"def spec_even")
        .replace(
            "∀ n, ∃ k, impl.tiny.double n = 2 * k".encode(),
            body,
        )
    )
    assert files[path] != ground.instance().files[path]
    return load_files(files, "canaries")


def verdict(
    grader: Grader, about: Instance, bodies: dict[SlotKey, str], mode: str = "codeproof"
) -> Verdict:
    canary = Canary("x", "x", "x", bodies, {}, mode=mode)
    return decide(grade(grader, about, mode, submission(canary, about)))


@pytest.mark.parametrize("helper", [False, True], ids=["named", "through a helper"])
def test_no_implementation_is_not_proved_by_writing_a_wrong_one(
    grader: Grader, helper: bool
) -> None:
    bodies = {
        **REFERENCE,
        **OFF_BY_ONE,
        **proof("even", UNSAT, kind="unsat", file=ground.MORE),
    }
    even = verdict(grader, instance(helper=helper), bodies).specs[-1]
    assert even.outcome == "statement_changed"
    assert "Tiny.double, which the submission writes" in even.detail
    assert even.lights["statement"].state == "red"


def test_a_joint_claim_does_not_lean_on_it_either(grader: Grader) -> None:
    bodies = {
        **REFERENCE,
        **OFF_BY_ONE,
        **proof("never", "  exact ⟨⟨⟨fun _ => 3, fun c => c⟩⟩, rfl⟩", kind="sat"),
        **proof("flip", "  intro c; cases c <;> rfl"),
        **joint(
            ["even", "never"],
            UNSAT.replace("own⟩", "own, _⟩"),
        ),
    }
    found = verdict(grader, instance(helper=False), bodies)
    assert found.joint["holds"] is False
    assert "which the submission writes" in str(found.joint["detail"])
    assert not found.specs[4].passed


def test_it_may_be_proved_of_the_own_implementation(grader: Grader) -> None:
    bodies = {
        **REFERENCE,
        **proof("even", "  exact (Nat.mul_zero (0 + 0)).symm", file=ground.MORE),
    }
    even = verdict(grader, instance(helper=False), bodies).specs[-1]
    assert (even.outcome, even.route) == ("passed", "prove"), even.detail


def test_of_specs_that_speak_of_the_bundle_alone_nothing_changes(
    grader: Grader,
) -> None:
    honest = next(canary for canary in HONEST if canary.id == "full-codeproof")
    found = decide(grade(grader, ground.instance(), honest.mode, submission(honest)))
    assert found.full_solve
    assert CLASH in honest.bodies.values()
