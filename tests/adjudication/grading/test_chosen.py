"""Claims about every implementation must not lean on code that the submission chose itself.

`unsat`, `sat` and joint claims quantify over implementations. A spec may name an API directly instead of through the bundle; in
`codeproof` its value is the submission's, so that a wrong one would make such a claim true of nothing but itself. The canaries of the class
"claim about own code" try the three claims; here are the ways in which a spec can come to name an API.
"""

from __future__ import annotations

import json

import pytest

from adjudication.grading.canaries import ground
from adjudication.grading.canaries.canary import (
    REFERENCE,
    Canary,
    code,
    joint,
    proof,
    submission,
)
from adjudication.grading.canaries.honest import HONEST
from adjudication.grading.decide import decide
from adjudication.grading.grader import Grader, grade
from adjudication.grading.outcomes import SpecVerdict
from curation.format.instance import Instance, load_files

pytestmark = pytest.mark.lean

SPEC = "Tiny/Spec/More.lean"
DIRECT = "atZero = impl.tiny.double 0 * 0 ∧ Tiny.double 1 = impl.tiny.double 1"
UNSAT = (
    "  rintro ⟨impl, own⟩\n  have h : (1 : Nat) = impl.tiny.double 0 * 0 := own\n"
    "  rw [Nat.mul_zero] at h\n  exact absurd h (by decide)"
)
SAT = "  exact ⟨canonical, rfl⟩"
# How the spec names it: declarations before it, its left side, and whether it reaches an API.
WAYS = {
    "named": ("", "Tiny.double 0", True),
    "through an instance": ("instance : Weigh Nat := ⟨fun n => Tiny.double n⟩\n\n", "Weigh.weight (0 : Nat)", True),
    "through the reference": ("", "canonical.tiny.double 0", True),
    "in a type": ("def bounded (_ : Fin (Tiny.double 0 + 1)) : Nat := 1\n\n", "bounded 0", True),
    "in a proof alone": (
        "theorem positive : 0 < 1 :=\n  have _ : Tiny.double 0 = Tiny.double 0 := rfl\n  Nat.zero_lt_succ 0\n\n"
        "def first : Fin 1 := ⟨0, positive⟩\n\n",
        "first.val + 1",
        False,
    ),
}  # fmt: skip


def changed(*edits: tuple[str, str, str]) -> Instance:
    """Return the canaries' instance with texts of files replaced, each of which must be there."""
    files = dict(ground.instance().files)
    for path, old, new in edits:
        assert old.encode() in files[path]
        files[path] = files[path].replace(old.encode(), new.encode())
    return load_files(files, "canaries")


def naming(way: str) -> Instance:
    """Return an instance whose `spec_direct` says only that something is `impl.tiny.double 0 * 0`."""
    head, left, _ = WAYS[way]
    return changed(
        (SPEC, DIRECT, f"{left} = impl.tiny.double 0 * 0"),
        (SPEC, "def atZero", f"{head}def atZero"),
    )


def settled(grader: Grader, about: Instance, canary: Canary) -> SpecVerdict:
    """Return what became of `spec_direct`."""
    verdict = decide(grade(grader, about, canary.mode, submission(canary, about)))
    return next(s for s in verdict.specs if s.spec.endswith("spec_direct"))


def claim(kind: str, script: str, value: str = "fun n => n + 1") -> Canary:
    bodies = {
        **REFERENCE,
        **code("double", f"  {value}"),
        **proof("direct", script, kind=kind, file=ground.MORE),
    }
    return Canary("x", "x", "x", bodies, {}, mode="codeproof")


@pytest.mark.parametrize("way", WAYS)
def test_no_implementation_is_not_proved_by_writing_a_wrong_one(
    grader: Grader, way: str
) -> None:
    direct = settled(grader, naming(way), claim("unsat", UNSAT))
    if WAYS[way][2]:
        assert direct.outcome == "statement_changed", direct.detail
        assert "Tiny.double, which the submission writes" in direct.detail
        assert direct.lights["statement"].state == "red"
    else:
        assert (direct.outcome, direct.route) == ("passed", "unsat"), direct.detail


def test_an_api_that_is_a_type_is_one_too(grader: Grader) -> None:
    about = changed(
        (
            ground.CORE,
            "/-- Twice as much. -/",
            "def Key : Type :=\n-- !benchmark @start code def=Key\n  Nat\n-- !benchmark @end code def=Key\n\n/-- Twice as much. -/",
        ),
        (SPEC, DIRECT, "∃ k : Tiny.Key, k = k ∧ impl.tiny.double 0 * 0 = 0"),
        (
            "manifest.json",
            '{"name": "double", "sig": "DoubleSig"}',
            json.dumps({"name": "Key", "sig": "Type"})
            + ', {"name": "double", "sig": "DoubleSig"}',
        ),
    )
    nobody = claim("unsat", "  rintro ⟨_, k, _⟩\n  cases k")
    bodies = {**nobody.bodies, (ground.CORE, "code", "Key"): "  Empty"}
    direct = settled(grader, about, Canary("x", "x", "x", bodies, {}, mode="codeproof"))
    assert direct.outcome == "statement_changed", direct.detail
    assert "Tiny.Key, which the submission writes" in direct.detail


def test_it_may_be_proved_of_the_own_implementation(grader: Grader) -> None:
    mine = claim("prove", "  rfl", "fun n => 2 * n")
    direct = settled(grader, naming("named"), mine)
    assert (direct.outcome, direct.route) == ("passed", "prove"), direct.detail


def test_a_joint_claim_counts_without_the_spec_that_names_it(grader: Grader) -> None:
    honest = next(canary for canary in HONEST if canary.id == "full-codeproof")
    # Its joint claim names `spec_double` and `spec_never`: with `spec_direct` beside them it counts for nothing.
    (script,) = (
        body for (file, key, _), body in honest.bodies.items()
        if file == ground.JOINT and key == "proof"
    )  # fmt: skip
    padded = joint(
        ["double", "never", "direct"], script.replace("three⟩", "three, _⟩", 1)
    )
    canary = Canary("x", "x", "x", {**honest.bodies, **padded}, {}, mode="codeproof")
    found = decide(grade(grader, ground.instance(), canary.mode, submission(canary)))
    assert found.joint["holds"] is False
    assert "which the submission writes" in str(found.joint["detail"])
    assert not found.specs[ground.SPECS.index("never")].passed
