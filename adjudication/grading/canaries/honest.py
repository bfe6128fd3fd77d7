"""Honest neighbours of the cheats: what looks like one and is none. All must pass."""

from __future__ import annotations

from adjudication.grading.canaries import ground
from adjudication.grading.canaries.canary import (
    DOUBLE,
    REFERENCE,
    Canary,
    code,
    joint,
    proof,
    shared,
)

FLIP = "  intro c; cases c <;> rfl"
WEIGHT = "  intro n; rfl"
LIMIT = "  exact ⟨rfl, Nat.le_refl 10⟩"
NEVER = "  intro h\n  have h : (2 : Nat) = 3 := h\n  exact absurd h (by decide)"
DIRECT = "  exact ⟨(Nat.mul_zero (0 + 0)).symm, rfl⟩"
NONE = "  rintro ⟨impl, one⟩\n  have h : impl.tiny.double 0 * 0 = 1 := one\n  rw [Nat.mul_zero] at h\n  exact absurd h (by decide)"
EVEN = "  intro n\n  exact ⟨n, (Nat.two_mul n).symm⟩"

CLASH = """  rintro ⟨impl, one, three⟩
  have h : impl.tiny.double 1 = 1 + 1 := one 1
  have k : impl.tiny.double 1 = 3 := three
  rw [h] at k
  exact absurd k (by decide)"""
_SAT_DOUBLE = "  exact ⟨⟨⟨fun n => n + n, fun c => c⟩⟩, fun n => rfl⟩"
_SAT_NEVER = "  exact ⟨⟨⟨fun _ => 3, fun c => c⟩⟩, rfl⟩"

HONEST = (
    Canary(
        "full-proof",
        "honest",
        "all specs, one of them refuted",
        {
            **proof("double", DOUBLE),
            **proof("flip", FLIP),
            **proof("weight", WEIGHT),
            **proof("limit", LIMIT),
            **proof("never", NEVER, kind="disprove"),
            **proof("even", EVEN, file=ground.MORE),
            **proof("direct", DIRECT, file=ground.MORE),
            **proof(
                "none",
                "  intro h\n  exact absurd (show (0 : Nat) = 1 from h) (by decide)",
                kind="disprove",
                file=ground.MORE,
            ),
        },
        dict.fromkeys(ground.SPECS, "passed"),
    ),
    Canary(
        "full-codeproof",
        "honest",
        "an implementation of its own, a joint claim, and a spec that nothing meets",
        {
            **code(
                "double",
                "  fun n => 2 * n",
                "/-- Not used. -/\ndef spare : Nat → Nat\n  | 0 => 0\n  | n + 1 => spare n",
            ),
            **code(
                "flip",
                "  fun c => match c with\n    | .blue => .red\n    | .red => .blue",
            ),
            **proof("double", _SAT_DOUBLE, kind="sat"),
            **proof("never", _SAT_NEVER, kind="sat"),
            **joint(["double", "never"], CLASH),
            **proof("flip", FLIP),
            **proof("weight", "  intro n\n  exact Nat.two_mul n"),
            **proof("limit", LIMIT),
            **proof("even", "  intro n\n  exact ⟨n, rfl⟩", file=ground.MORE),
            **proof("direct", "  exact ⟨rfl, rfl⟩", file=ground.MORE),
            **proof("none", NONE, kind="unsat", file=ground.MORE),
        },
        dict.fromkeys(ground.SPECS, "passed"),
        mode="codeproof",
    ),
    Canary(
        "words-in-text",
        "honest",
        "words that rules look for, in comments, strings and longer names",
        proof(
            "double",
            '  -- no unsafe axiom here, and no sorry\n  have _ : "unsafe sorry #exit" = "unsafe sorry #exit" := rfl\n  exact no_sorry_needed',
            "/-- It needs neither `sorry` nor `axiom`. -/\ntheorem no_sorry_needed : ∀ n, Tiny.double n = n + n := by\n  intro n; rfl",
        ),
        {"double": "passed"},
    ),
    Canary(
        "unused-instance",
        "honest",
        "a new instance that no spec uses",
        {
            **REFERENCE,
            **code(
                "flip",
                REFERENCE[ground.CORE, "code", "flip"],
                "instance weighColour : Weigh Colour := ⟨fun c => if isRed c then 2 else 1⟩",
            ),
            **proof("weight", WEIGHT),
        },
        {"weight": "passed"},
        mode="codeproof",
    ),
    Canary(
        "names-nobody-means",
        "honest",
        "attributes on frozen constants, universes, and names in the namespace of the specs that no spec uses",
        {
            **REFERENCE,
            **code(
                "flip",
                REFERENCE[ground.CORE, "code", "flip"],
                "universe u\nvariable (α : Sort u) [Inhabited Nat]\nattribute [reducible] limit\nattribute [irreducible] isRed\n"
                "namespace Spec\nabbrev Nat := Unit\ndef Eq (_ _ : Colour) : Prop := True\nend Spec",
            ),
            **proof("limit", LIMIT),
            **proof("double", DOUBLE),
        },
        {"limit": "passed", "double": "passed"},
        mode="codeproof",
    ),
    Canary(
        "same-short-name",
        "honest",
        "a helper called like a frozen one, in a namespace of its own",
        {
            **REFERENCE,
            (
                ground.CORE,
                "global_aux",
                "",
            ): "namespace Mine\ndef limit : Nat := 3\nend Mine",
            **proof(
                "limit",
                LIMIT,
                "namespace Mine\ntheorem limit_eq : Tiny.Mine.limit = 3 := rfl\nend Mine",
            ),
        },
        {"limit": "passed"},
        mode="codeproof",
    ),
    Canary(
        "own-namespace-opened",
        "honest",
        "an open that reaches frozen text, where the frozen name comes first all the same",
        {
            **REFERENCE,
            (
                ground.CORE,
                "global_aux",
                "",
            ): "namespace Other\ndef limit : Nat := 100\nend Other\nopen Other",
            **proof("limit", LIMIT),
        },
        {"limit": "passed"},
        mode="codeproof",
    ),
    Canary(
        "shared-matcher",
        "honest",
        "code and lemmas that share a matcher with frozen code, or take its place",
        {
            **REFERENCE,
            (
                ground.CORE,
                "global_aux",
                "",
            ): "def Colour.code (c : Colour) : Nat :=\n  match c with\n  | .red => 1\n  | .blue => 0",
            **proof(
                "flip",
                FLIP,
                "def again (c : Tiny.Colour) : Bool :=\n  match c with\n  | .red => true\n  | .blue => false",
            ),
        },
        {"flip": "passed"},
        mode="codeproof",
    ),
    Canary(
        "successor-pattern",
        "honest",
        "structural recursion leaves a partial copy outside every statement",
        proof(
            "double",
            "  intro n\n  have := half_le n\n  rfl",
            "def half : Nat → Nat\n  | 0 => 0\n  | 1 => 0\n  | n + 2 => half n + 1\n\ntheorem half_le : ∀ n, half n ≤ half n := fun n => Nat.le_refl _",
        ),
        {"double": "passed"},
    ),
    Canary(
        "equal-lemmas",
        "honest",
        "two Proof files with a lemma of the same name and statement",
        {
            **shared("theorem twice (n : Nat) : n + n = 2 * n := (Nat.two_mul n).symm"),
            **shared(
                "theorem twice (n : Nat) : n + n = 2 * n := (Nat.two_mul n).symm",
                ground.MORE,
            ),
            **proof("double", "  intro n\n  have := twice n\n  rfl"),
            **proof("even", "  intro n\n  exact ⟨n, twice n⟩", file=ground.MORE),
        },
        {"double": "passed", "even": "passed"},
    ),
    Canary(
        "different-lemmas",
        "honest",
        "two Proof files that mean different things by one name",
        {
            **shared("theorem helper : (1 : Nat) = 1 := rfl"),
            **shared("theorem helper : (2 : Nat) = 2 := rfl", ground.MORE),
            **proof("double", "  intro n\n  have := helper\n  rfl"),
            **proof("even", "  have := helper\n" + EVEN, file=ground.MORE),
        },
        {"double": "passed", "even": "passed"},
    ),
    Canary(
        "options-and-sections",
        "honest",
        "allowed options, an open, a section that is closed again",
        {
            **shared(
                "open Tiny\nsection\nvariable (k : Nat)\ntheorem plus : k + 0 = k := rfl\nend"
            ),
            **proof(
                "double",
                DOUBLE,
                "set_option maxHeartbeats 400000 in\ntheorem other : double 2 = 4 := by decide",
            ),
        },
        {"double": "passed"},
    ),
    Canary(
        "trusted-axiom",
        "honest",
        "an axiom that the manifest trusts of the reference, used about the reference",
        proof("flip", "  intro c\n  exact congrArg Tiny.isRed (Tiny.flip_twice c)"),
        {"flip": "passed"},
    ),
    Canary(
        "classical",
        "honest",
        "the standard axioms",
        proof(
            "double",
            "  intro n\n  cases Classical.em (n = 0) with\n  | inl h => rfl\n  | inr h => rfl",
            "theorem funs (f g : Nat → Nat) (h : ∀ n, f n = g n) : f = g := funext h",
        ),
        {"double": "passed"},
    ),
    Canary(
        "neighbours",
        "honest",
        "two proofs and a lemma that neither needs",
        {
            **proof("double", DOUBLE),
            **proof("limit", LIMIT),
            **shared("theorem spare : (0 : Nat) = 0 := rfl"),
        },
        {"double": "passed", "limit": "passed"},
    ),
)
