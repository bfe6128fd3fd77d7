from __future__ import annotations

import pytest

from workbench.lean.unseen import unseen


@pytest.mark.parametrize(
    ("keyword", "text"),
    [
        ("def", "/-- Doc. -/ def f (n : Nat) := n -- one"),
        ("theorem", "theorem f : 1 = 1 := by rfl"),
        ("instance", "instance : Size Nat := ⟨1⟩"),
    ],
)
def test_a_plain_declaration_says_nothing_beside_its_term(
    keyword: str, text: str
) -> None:
    assert unseen("f", keyword, text) == ""


def test_attributes_and_modifiers_are_said_beside_the_term() -> None:
    said = [
        unseen("f", "def", text)
        for text in (
            "@[simp] def f := 1",
            "@[simp, reducible] def f := 1",
            "@[local simp] private def f := 1",
            "noncomputable def f := 1",
            "set_option maxRecDepth 9 in def f := 1",
        )
    ]
    assert all(said)
    assert len(set(said)) == len(said)
    assert unseen("f", "def", "/-- Why. -/ @[simp] def f := 2") == said[0]
    assert unseen("g", "def", "@[simp] def g := 1") != said[0]
    assert unseen("f", "abbrev", "abbrev f := 1")


@pytest.mark.parametrize(
    ("keyword", "text"),
    [
        ("def", "partial def f (n : Nat) : Nat := f n"),
        ("def", "unsafe def f := 1"),
        ("def", "@[implemented_by g] def f := 1"),
        ("def", "@[simp, extern 1 \"f\"] def f := 1"),
        ("theorem", "@[csimp] theorem f : @g = @h := rfl"),
        ("def", "attribute [local simp] g in def f := 1"),
        ("def", "def f := let rec @[implemented_by h] go := 1; go"),
        ("instance", "instance (priority := low) : Size Nat := ⟨1⟩"),
        ("opaque", "opaque f : Nat"),
        ("axiom", "axiom f : 1 = 2"),
        ("structure", "structure f where\n  n : Nat := 0"),
        ("def", "theorem f : 1 = 1 := rfl"),
    ],
)  # fmt: skip
def test_what_a_term_does_not_show_is_bound_to_the_text(
    keyword: str, text: str
) -> None:
    assert unseen("f", keyword, text) is None


def test_a_type_says_its_names() -> None:
    texts = ["structure f where\n  lo : Nat\n  hi : Nat", "structure f where\n  hi : Nat\n  lo : Nat"]  # fmt: skip
    one, other = (unseen("f", "structure", text) for text in texts)
    assert one
    assert other
    assert one != other
    assert unseen("f", "structure", f"/-- Doc. -/\n{texts[0]} -- here") == one
