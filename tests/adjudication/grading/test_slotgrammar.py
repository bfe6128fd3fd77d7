from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudication.grading.slotgrammar import auxiliary_commands, check_slot

GOOD_COMMANDS = [
    "",
    "-- a comment only",
    "/- nested /- comment -/ -/",
    "theorem t : True := trivial",
    "/-- About it. -/\n@[simp]\ntheorem t : True := trivial",
    "open Tiny",
    "open Tiny in\ntheorem t : True := trivial",
    "set_option maxHeartbeats 0 in\ntheorem t : True := by trivial",
    "namespace A.B\ndef x := 1\nend A.B",
    "namespace A.B\ndef x := 1\nend B\nend A",
    "section Named\nvariable (n : Nat)\nend Named",
    "noncomputable section\nend",
    "mutual\ndef a := 1\ndef b := 2\nend",
    'def s := "/- not a comment"',
    "def s := '\"'",
    'def x := r#"a " b"#',
    "def f : Open → Nat\n  | .open => 0\n  | .end => 1",
    "theorem t (a b : Nat) : a = b → b = a := by\n  intro h\n  simp at *\n  omega",
    "deriving instance DecidableEq for Tree",
    "attribute [simp] t",
    "/-! A heading. -/",
    "def «with blank» := 1",
    "instance : Inhabited Nat := ⟨0⟩",
    "variable {α : Type} [DecidableEq α]",
]

BAD_COMMANDS = [
    ("#exit", "ends the file"),
    ("def x := 1\n#exit", "line 2"),
    ("/- open", "comment is never closed"),
    ("/- /- -/", "comment is never closed"),
    ('def s := "', "string is never closed"),
    ("def s := r#\"a\"", "string is never closed"),
    ("def x := (1", "`(` is never closed"),
    ("def x := ⟨1, 2", "`⟨` is never closed"),
    ("def x := 1)", "`)` closes nothing"),
    ("def x := (1]", "`]` closes nothing"),
    ("section", "`section` is never closed"),
    ("namespace A", "`namespace A` is never closed"),
    ("namespace A.B\nend B", "`namespace A` is never closed"),
    ("mutual\ndef a := 1", "`mutual` is never closed"),
    ("end", "closes nothing of this slot"),
    ("end Tiny", "closes nothing of this slot"),
    ("namespace A\nend B", "was expected"),
    ("section A\nend B", "another name"),
    ("namespace A\nend A\nend", "line 3"),
    ("set_option maxRecDepth 10 in", "ends with `in`"),
    ("open Tiny in", "ends with `in`"),
    ("open Tiny in -- and a comment", "ends with `in`"),
    ("variable (n : Nat) in", "ends with `in`"),
    ("@[simp]", "ends with an attribute"),
    ("@[simp, inline]", "ends with an attribute"),
    ("/-- mine -/", "documentation comment"),
    ("theorem t : True := trivial\n/-- mine -/", "documentation comment"),
    *[(f"theorem t : True := trivial\n{word}", f"ends with `{word}`") for word in ("private", "protected", "noncomputable", "unsafe", "partial", "nonrec", "local", "scoped")],
    ("def x :=", "ends with `:=`"),
    ("theorem t : True := by", "ends with `by`"),
    ("open", "ends with `open`"),
    ("| 0 => 1", "starts no command"),
    ("where x := 1", "starts no command"),
    ("+ 1", "starts no command"),
    ("termination_by n => n", "starts no command"),
    ("deriving Repr", "would go on with the command above"),
    ("-- !benchmark @end code_aux def=x", "looks like a marker"),
    ("/- !solution -/", "looks like a marker"),
    ("import Tiny", "belongs to the head"),
    ("def a := 1\0", "NUL"),
    ("theorem «a\nb» : True := trivial", "« »"),
    ("def a := 1\x07", "is no character of Lean"),
    ("def x := 1.open A in\ndef y := 2\nnamespace B", "never closed"),
]  # fmt: skip


@pytest.mark.parametrize("key", ["global_aux", "code_aux", "proof_aux"])
@pytest.mark.parametrize("body", GOOD_COMMANDS)
def test_whole_commands_are_taken(key: str, body: str) -> None:
    assert check_slot(key, body) == []


@pytest.mark.parametrize(("body", "reason"), BAD_COMMANDS)
def test_what_is_not_whole_is_refused_with_a_reason(body: str, reason: str) -> None:
    found = check_slot("proof_aux", body)
    assert found
    assert any(reason in problem for problem in found)


@pytest.mark.parametrize("key", ["code", "proof"])
@pytest.mark.parametrize(
    "body",
    [
        "  fun n => n + n",
        "  rfl",
        "| 0 => 1\n| n + 1 => n",
        "  simp at *",
        "  exact h\n\ntheorem after : True := trivial",
        "  rw [h] at k ⊢",
        "  do\n    return",
        "  induction n with\n  | zero => rfl\n  | succ n ih => omega",
    ],
)
def test_terms_and_proofs_need_not_start_with_a_command(key: str, body: str) -> None:
    assert check_slot(key, body) == []


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("  exact (", "never closed"),
        ("  exact fun x =>", "ends with `=>`"),
        ("  rfl\n\nprivate", "ends with `private`"),
        ("  rfl\nend Tiny", "closes nothing"),
        ("  rfl\nset_option maxRecDepth 1 in", "ends with `in`"),
        ("  rfl\nnamespace Lost", "never closed"),
    ],
)
def test_terms_and_proofs_must_be_whole_too(body: str, reason: str) -> None:
    assert any(reason in problem for problem in check_slot("proof", body))


IMPORTS = frozenset(("Tiny.Impl.Core", "Std.Data"))


@pytest.mark.parametrize(
    "body",
    ["", "import Tiny.Impl.Core", "-- why\nimport Tiny.Impl.Core -- so\nimport Std.Data\n", "  import Std.Data  "],
)  # fmt: skip
def test_imports_of_known_modules_are_taken(body: str) -> None:
    assert check_slot("imports", body, imports=IMPORTS) == []


@pytest.mark.parametrize(
    "body",
    [
        "import Lean",
        "import Tiny.Impl",
        "public import Std.Data",
        "meta import Std.Data",
        "import all Std.Data",
        "import Std.Data import Tiny.Impl.Core",
        "module",
        "prelude",
        "import Std.Data\ndef x := 1",
        "import",
        "import «Std».Data",
        '"import Std.Data"',
    ],
)
def test_all_else_in_an_imports_slot_is_refused(body: str) -> None:
    assert check_slot("imports", body, imports=IMPORTS)


def test_a_list_of_specs_is_a_comment() -> None:
    assert check_slot("solution", "-- specs=[spec_a, spec_b]") == []
    assert check_slot("solution", "def x := 1") == ["holds more than comments"]


def test_what_a_claim_slot_says_is_not_looked_at() -> None:
    assert check_slot("claim", "theorem x : False := by") == []


def test_commands_behind_a_proof_are_recorded() -> None:
    body = "  exact h\n\n@[simp]\ntheorem after : True := trivial\ndef x := (fun theorem' => 1)"
    assert auxiliary_commands("proof", body) == ["theorem", "def"]
    assert auxiliary_commands("proof_aux", body) == []


@given(st.text(alphabet="()[]{}⟨⟩\"'/-«».|:= \nabdefnsuti@#!", max_size=60))
def test_it_answers_on_any_text(body: str) -> None:
    for key in ("code", "proof_aux", "imports", "solution"):
        assert all(isinstance(problem, str) for problem in check_slot(key, body))


@given(st.sampled_from(GOOD_COMMANDS), st.sampled_from([b for b, _ in BAD_COMMANDS]))
def test_good_text_before_bad_text_hides_nothing(good: str, bad: str) -> None:
    if bad.startswith(("|", "where", "+", "termination_by", "deriving")):
        return  # these are bad only at the start
    assert check_slot("proof_aux", f"{good}\n{bad}")
