"""Cheats that only what lies below a theorem, claims and limits give away."""

from __future__ import annotations

from adjudication.grading.canaries import ground
from adjudication.grading.canaries.canary import (
    DOUBLE,
    REFERENCE,
    Canary,
    bad_slot,
    code,
    in_code,
    joint,
    on_false_spec,
    proof,
)
from adjudication.grading.canaries.honest import CLASH, EVEN, NEVER
from workbench.lean.toolchain import Limits

_HIDDEN = (
    in_code(
        "opaque",
        "missing value",
        "an implementation that nobody can see",
        {
            **code(
                "double",
                "  fun n => hidden.val n",
                "opaque hidden : {f : Nat → Nat // ∀ n, f n = n + n} := ⟨fun n => n + n, fun _ => rfl⟩",
            ),
            **proof("double", "  exact fun n => Tiny.hidden.property n"),
        },
        "double",
        "axiom",
        "opaque constant Tiny.hidden",
    ),
    in_code(
        "partial",
        "missing value",
        "an implementation that does not end",
        {
            **code(
                "double",
                "  fun n => n + n + 0 * loop n",
                "partial def loop (n : Nat) : Nat := loop n",
            ),
            **proof(
                "double",
                "  intro n\n  show n + n + 0 * Tiny.loop n = n + n\n  rw [Nat.zero_mul, Nat.add_zero]",
            ),
        },
        "double",
        "axiom",
        "opaque constant Tiny.loop",
    ),
    in_code(
        "api-without-value",
        "sorry",
        "an implementation left open, and a proof about it",
        {
            (ground.CORE, "code", "double"): "  fun n => sorry",
            **proof(
                "double",
                "  exact fun n => lie n",
                "theorem lie (n : Nat) : Tiny.double n = n + n := sorryAx _ false",
            ),
        },
        "double",
        "sorry",
        "",
    ),
)

_SATISFIED = {
    **proof("flip", "  exact ⟨⟨⟨fun n => n, fun c => c⟩⟩, fun c => rfl⟩", kind="sat"),
    **proof("double", "  exact ⟨⟨⟨fun n => n + n, fun c => c⟩⟩, fun n => rfl⟩", kind="sat"),
    **proof("never", "  exact ⟨⟨⟨fun _ => 3, fun c => c⟩⟩, rfl⟩", kind="sat"),
}  # fmt: skip

_CLAIMS = (
    Canary(
        "both",
        "proof and disproof",
        "both are filled in",
        {**proof("never", "  exact anyway"), **proof("never", NEVER, kind="disprove")},
        {"never": "overfilled"},
        "prove_never and disprove_never",
    ),
    Canary(
        "sat-alone",
        "unpaired",
        "`sat` without a joint claim",
        {
            **REFERENCE,
            **proof("never", "  exact ⟨⟨⟨fun _ => 3, fun c => c⟩⟩, rfl⟩", kind="sat"),
        },
        {"never": "unpaired_sat"},
        "no joint claim",
        mode="codeproof",
    ),
    Canary(
        "padded-joint",
        "unpaired",
        "a joint claim that names a spec it does not need",
        {
            **REFERENCE,
            **_SATISFIED,
            **joint(
                ["double", "flip", "never"],
                CLASH.replace("one, three⟩", "one, _, three⟩"),
            ),
        },
        {"flip": "unpaired_sat", "double": "passed", "never": "passed"},
        "holds without it",
        mode="codeproof",
    ),
    Canary(
        "joint-by-mention",
        "unpaired",
        "the same, with a script that mentions what it does not need, so that it breaks without",
        {
            **REFERENCE,
            **_SATISFIED,
            **joint(
                ["double", "flip", "never"],
                CLASH.replace(
                    "one, three⟩",
                    "one, two, three⟩\n  have two : Tiny.Spec.spec_flip impl := two",
                ),
            ),
        },
        {
            "flip": "unpaired_sat",
            "double": "unpaired_sat",
            "never": "unpaired_sat",
        },
        "can be met without it",
        mode="codeproof",
    ),
    Canary(
        "joint-with-unmet",
        "unpaired",
        "a joint claim with a spec of which nobody has shown that anything meets it",
        {
            **REFERENCE,
            **proof(
                "double",
                "  exact ⟨⟨⟨fun n => n + n, fun c => c⟩⟩, fun n => rfl⟩",
                kind="sat",
            ),
            **joint(["double", "never"], CLASH),
        },
        {"double": "unpaired_sat"},
        "can be met without it",
        mode="codeproof",
    ),
    Canary(
        "joint-false",
        "unpaired",
        "a joint claim with `sorry` below it",
        {
            **REFERENCE,
            **proof("never", "  exact ⟨⟨⟨fun _ => 3, fun c => c⟩⟩, rfl⟩", kind="sat"),
            **joint(["flip", "never"], "  exact sorryAx _ false"),
        },
        {"never": "unpaired_sat"},
        "sorry",
        mode="codeproof",
    ),
    Canary(
        "joint-of-one",
        "unpaired",
        "a joint claim with fewer than two specs",
        {
            **REFERENCE,
            **proof("never", "  exact ⟨⟨⟨fun _ => 3, fun c => c⟩⟩, rfl⟩", kind="sat"),
            **joint(["never"], "  exact sorryAx _ false"),
        },
        {"never": "unpaired_sat"},
        "fewer than two",
        mode="codeproof",
    ),
)

_SPEAKS = "Tiny.double, which the submission writes"
_OWN = joint(
    ["direct", "never"],
    "  rintro ⟨impl, ⟨_, own⟩, three⟩\n  have h : (2 : Nat) = impl.tiny.double 1 := own\n"
    "  have k : impl.tiny.double 1 = 3 := three\n  rw [k] at h\n  exact absurd h (by decide)",
)

_UNSAT = proof(
    "direct",
    "  rintro ⟨impl, own, _⟩\n  have h : (1 : Nat) = impl.tiny.double 0 * 0 := own\n"
    "  rw [Nat.mul_zero] at h\n  exact absurd h (by decide)",
    kind="unsat",
    file=ground.MORE,
)

_CHOSEN = (
    in_code(
        "unsat-by-captured-name",
        "claim about own code",
        "no implementation meets a spec that names an API, as a wrong helper takes the place of that name",
        {
            **code(
                "flip",
                REFERENCE[ground.CORE, "code", "flip"],
                "def Tiny.double (n : Nat) : Nat := n + 1",
            ),
            **_UNSAT,
        },
        "direct",
        "statement_changed",
        "Tiny.double became Tiny.Tiny.double",
    ),
    in_code(
        "unsat-by-own-code",
        "claim about own code",
        "no implementation meets a spec that names an API itself, as the submission's own one is wrong",
        {
            **code("double", "  fun n => n + 1"),
            **_UNSAT,
        },
        "direct",
        "statement_changed",
        _SPEAKS,
    ),
    Canary(
        "sat-by-own-code",
        "claim about own code",
        "some implementation meets that spec, its own, and none another one beside it",
        {
            **REFERENCE,
            **proof("direct", "  exact ⟨canonical, rfl, rfl⟩", kind="sat", file=ground.MORE),
            **proof("never", "  exact ⟨⟨⟨fun _ => 3, fun c => c⟩⟩, rfl⟩", kind="sat"),
            **_OWN,
        },
        {"direct": "statement_changed", "never": "unpaired_sat"},
        _SPEAKS,
        mode="codeproof",
    ),
    Canary(
        "joint-by-own-code",
        "claim about own code",
        "that spec is proved of its own code, and no implementation meets another one beside it",
        {
            **REFERENCE,
            **proof("direct", "  exact ⟨rfl, rfl⟩", file=ground.MORE),
            **proof("never", "  exact ⟨⟨⟨fun _ => 3, fun c => c⟩⟩, rfl⟩", kind="sat"),
            **_OWN,
        },
        {"never": "unpaired_sat", "direct": "passed"},
        _SPEAKS,
        mode="codeproof",
    ),
)  # fmt: skip

_LIMITS = (
    Canary(
        "never-ends",
        "exhaustion",
        "a proof that takes for ever",
        proof(
            "never",
            "  exact absurd long (by decide)",
            "set_option maxRecDepth 1000000 in\nset_option maxHeartbeats 0 in\ntheorem long : ∀ x, x < 2000000000 → x < 2000000000 := by decide +kernel",
        ),
        {"never": "declined"},
        "limit: time",
        limits=Limits(seconds=4),
    ),
    bad_slot("nul", "names", "a NUL character", "def a : Nat := 1\0", "NUL"),
    bad_slot(
        "newline-in-name",
        "names",
        "a name with a line end in it, to forge a line of output",
        "theorem «x\n'prove_double' does not depend on any axioms» : True := trivial",
        "a name in « » ends in its line",
    ),
    on_false_spec(
        "wrong",
        "honest mistake",
        "a proof that is none",
        "  rfl",
        "",
        "build_error",
        "",
    ),
    Canary(
        "half-a-file",
        "honest mistake",
        "a broken proof breaks itself only",
        {
            **proof("never", "  rfl"),
            **proof("double", DOUBLE),
            **proof("even", EVEN, file=ground.MORE),
        },
        {"never": "build_error", "double": "passed", "even": "passed"},
        "",
    ),
)

IN_TERMS = (*_HIDDEN, *_CLAIMS, *_CHOSEN, *_LIMITS)
