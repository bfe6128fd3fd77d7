"""Cheats by which a statement means something else than it says."""

from __future__ import annotations

from adjudication.grading.canaries import ground
from adjudication.grading.canaries.canary import (
    DOUBLE,
    REFERENCE,
    Canary,
    bad_slot,
    code,
    in_code,
    on_false_spec,
    proof,
    shared,
)
from adjudication.grading.canaries.honest import LIMIT

_STATEMENT = (
    on_false_spec(
        "extra-hypothesis",
        "extra hypotheses",
        "a variable that becomes a hypothesis of the frozen theorem",
        "  exact lie.elim",
        "",
        "statement_changed",
        "",
        head="variable (lie : False)\ninclude lie",
    ),
    in_code(
        "captured-instance",
        "statement weakened by instance",
        "an instance takes the automatic name of a frozen one",
        {
            **code("double", "  fun _ => 0", "instance : Weigh Box := ⟨fun _ => 0⟩"),
            **proof("weight", DOUBLE),
        },
        "weight",
        "build_error",
        "",
    ),
    in_code(
        "captured-instance-proved",
        "statement weakened by instance",
        "the same, where the statement still holds",
        {
            **code(
                "double",
                "  fun n => n + n",
                "instance : Weigh Box := ⟨fun b => b.size⟩",
            ),
            **proof("weight", DOUBLE),
        },
        "weight",
        "statement_changed",
        "instWeighBox",
    ),
    in_code(
        "later-instance",
        "statement weakened by instance",
        "a later instance of a frozen class for a frozen type",
        {
            **code(
                "flip",
                REFERENCE[ground.CORE, "code", "flip"],
                "instance later : Weigh Box := ⟨fun b => b.size⟩",
            ),
            **proof("weight", DOUBLE),
        },
        "weight",
        "statement_changed",
        "later",
    ),
    in_code(
        "plus-redefined",
        "statement weakened by instance",
        "another `+` for numbers, before the specs are read",
        {
            **code(
                "flip",
                REFERENCE[ground.CORE, "code", "flip"],
                "instance plus : HAdd Nat Nat Nat := ⟨fun n _ => n⟩",
            ),
            **proof("double", "  intro n; rfl"),
        },
        "double",
        "build_error",
        "",
    ),
    in_code(
        "plus-weakened",
        "statement weakened by instance",
        "the same, with code that meets the weakened spec",
        {
            **code("double", "  fun n => n"),
            **code(
                "flip",
                REFERENCE[ground.CORE, "code", "flip"],
                "instance plus : HAdd Nat Nat Nat := ⟨fun n _ => n⟩",
            ),
            **proof("double", "  intro n; rfl"),
        },
        "double",
        "statement_changed",
        "plus",
    ),
    in_code(
        "coercion",
        "statement weakened by coercion",
        "a coercion is no part of the statement, and one that changes it is found",
        {
            **code(
                "flip",
                REFERENCE[ground.CORE, "code", "flip"],
                "def _root_.Tiny.Spec.isRed (_ : Colour) : Bool := true",
            ),
            **proof("flip", "  intro c; rfl"),
        },
        "flip",
        "statement_changed",
        "isRed",
    ),
    in_code(
        "shadowed-helper",
        "shadowing",
        "a frozen helper is shadowed in the namespace of the specs",
        {
            **code(
                "flip",
                REFERENCE[ground.CORE, "code", "flip"],
                "def _root_.Tiny.Spec.limit : Nat := 10",
            ),
            **proof("limit", LIMIT),
        },
        "limit",
        "statement_changed",
        "limit",
    ),
    in_code(
        "redefined-helper",
        "frozen helper redefined",
        "a frozen helper is declared once more",
        {
            **code(
                "flip", REFERENCE[ground.CORE, "code", "flip"], "def limit : Nat := 10"
            )
        },
        "double",
        "impl_broken",
        "already been declared",
    ),
    Canary(
        "own-statement",
        "shadowing",
        "a lemma takes the name of a stub",
        proof("double", DOUBLE, "theorem prove_never : True := trivial"),
        {"double": "build_error"},
        "already been declared",
    ),
    Canary(
        "own-spec",
        "shadowing",
        "a spec is declared once more",
        {
            **shared("def Tiny.Spec.spec_never (_ : RepoImpl) : Prop := True"),
            **proof("never", "  trivial"),
        },
        {"never": "build_error"},
        "already been declared",
    ),
)

_FLIP = REFERENCE[ground.CORE, "code", "flip"]

_OVERTAKEN = (
    Canary(
        "numeral-and-alias",
        "statement weakened by instance",
        "20 is another number, and an exported name takes the place of a frozen one",
        {
            **code("double", "  fun _ => 0"),
            **code(
                "flip",
                "  fun c => c",
                "instance : OfNat Nat 20 := ⟨0⟩\nnamespace Other\ndef isRed (_ : Colour) : Bool := true\nend Other\n"
                "namespace Spec\nexport Other (isRed)\nend Spec",
            ),
            **proof("limit", LIMIT),
            **proof("flip", "  intro c; rfl"),
        },
        {"limit": "statement_changed", "flip": "statement_changed"},
        "OfNat.ofNat",
        mode="codeproof",
    ),
    Canary(
        "scoped-and-default",
        "statement weakened by instance",
        "a scoped instance in the namespace of the specs, and another order of numbers by an attribute",
        {
            **code("double", "  fun n => n"),
            **code(
                "flip",
                _FLIP,
                "def order : LE Nat := ⟨fun _ _ => True⟩\nattribute [instance] order\nnamespace Spec\n"
                "@[default_instance] scoped instance plus : HAdd Nat Nat Nat := ⟨fun n _ => n⟩\nend Spec",
            ),
            **proof("double", "  intro n; rfl"),
            **proof("limit", "  exact ⟨rfl, trivial⟩"),
        },
        {"double": "statement_changed", "limit": "build_error"},
        "plus",
        mode="codeproof",
    ),
    in_code(
        "order-weakened",
        "statement weakened by instance",
        "another order of numbers, before a frozen definition that a spec uses",
        {
            **code("flip", _FLIP, "instance : LE Nat := ⟨fun _ _ => True⟩"),
            **proof("limit", "  exact ⟨rfl, trivial⟩"),
        },
        "limit",
        "statement_changed",
        "atMost",
    ),
    in_code(
        "variable-captures",
        "extra hypotheses",
        "a variable with the name of a frozen constant, which frozen text then means",
        {**code("flip", _FLIP, "variable (limit : Nat)"), **proof("limit", LIMIT)},
        "limit",
        "impl_broken",
        "Tiny/Spec/Core.lean",
    ),
    on_false_spec(
        "class-variable",
        "extra hypotheses",
        "an instance that nobody has becomes a hypothesis of the frozen theorem",
        "  exact Lie.out.elim",
        "",
        "statement_changed",
        "",
        head="class Lie : Prop where\n  out : False\nvariable [Lie]",
    ),
    on_false_spec(
        "exported-spec",
        "shadowing",
        "an exported name beside that of the spec, and one beside `canonical`",
        "  first | trivial | rfl | exact (show X.spec_never canonical from trivial)",
        "namespace X\ndef spec_never (_ : RepoImpl) : Prop := True\ndef canonical : RepoImpl := ⟨⟨fun _ => 3, fun c => c⟩⟩\n"
        "end X\nexport X (canonical)\nnamespace Tiny.Spec\nexport X (spec_never)\nend Tiny.Spec",
        "build_error",
        "",
    ),
    on_false_spec(
        "decided-by-another",
        "statement weakened by instance",
        "a decision about True for one about False",
        "  exact falsehood.elim",
        "instance oops : Decidable False := inferInstanceAs (Decidable True)\ntheorem falsehood : False := by decide",
        "build_error",
        "declaration type mismatch",
    ),
    bad_slot(
        "attribute-in-quotes",
        "compiled meaning",
        "a forbidden attribute in « »",
        "def quick : Nat := 1\n@[«implemented_by» quick] def slow : Nat := 2",
        "rule attribute",
    ),
    Canary(
        "attribute-behind-comment",
        "compiled meaning",
        "a forbidden attribute behind a comment, beside an allowed one",
        proof(
            "double",
            DOUBLE,
            "@[simp, /- ] -/\n local csimp] theorem t : (1 : Nat) = 1 := rfl",
        ),
        {"double": "void"},
        "rule runtime-attribute",
    ),
)

IN_STATEMENTS = (*_STATEMENT, *_OVERTAKEN)
