from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.curation.sources.sound import check, extract, only, outline

SOURCE = """\
import Init

namespace A.B

/-- Doubles. -/
@[simp] def double (x : Nat) : Nat :=
  x + x

abbrev Sig := Nat → Nat
def holds (x : Nat) : Prop := double x = x
theorem double_zero : double 0 = 0 := rfl
/- def no := 1 -/
structure Point where
  x : Nat
axiom choice : False
opaque hidden : Nat
instance : Inhabited Point := ⟨⟨0⟩⟩
example : 1 = 1 := rfl

end A.B
"""


class TestItems:
    def test_it_finds_declarations_with_their_namespace(self) -> None:
        assert outline(extract("lean4", SOURCE)) == [
            ("def", "A.B.double", 6, 7),
            ("abbrev", "A.B.Sig", 9, 9),
            ("def", "A.B.holds", 10, 10),
            ("theorem", "A.B.double_zero", 11, 11),
            ("structure", "A.B.Point", 13, 14),
            ("axiom", "A.B.choice", 15, 15),
            ("opaque", "A.B.hidden", 16, 16),
            ("instance", "_instance_17", 17, 17),
            ("example", "_example_18", 18, 18),
        ]

    def test_it_gives_documentation_category_and_mentions(self) -> None:
        found = extract("lean4", SOURCE)
        assert only(found, "A.B.double").doc == "Doubles."
        assert only(found, "A.B.double").parent == "A.B"
        assert only(found, "A.B.holds").category == "spec"
        assert only(found, "A.B.double_zero").category == "proof"
        assert only(found, "A.B.choice").category == "axiom"
        assert "double" in only(found, "A.B.holds").mentions
        assert only(found, "_example_18").is_test

    def test_a_comment_that_does_not_end_is_named(self) -> None:
        found = extract("lean4", "def a := 1\n/- oh\n", "x/a.lean")
        assert [(p.code, p.path, p.line) for p in found.problems] == [
            ("unterminated", "x/a.lean", 2)
        ]


PIECES = [
    "def f", ":=", "theorem t :", "namespace A", "end A", "end", "/-", "-/", "--",
    "/--", '"', "'a'", "\n", " ", "∀", "structure S where", "  x : Nat", "@[simp]",
    "private", "mutual", "«a b»", "(", ")", "\r\n", "section", "instance",
]  # fmt: skip
fragments = st.lists(st.sampled_from(PIECES), max_size=30).map(" ".join)


class TestProperties:
    @given(fragments)
    def test_it_never_raises_and_stays_in_the_file(self, text: str) -> None:
        check(extract("lean4", text), text)
