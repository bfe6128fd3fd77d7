from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.lean.essence import essence

BLOCK = """\
theorem grows (n : Nat) : n < n + 1 := by
  have h : n ≤ n := by
    exact Nat.le_refl n
  cases n with
  | zero => simp
  | succ m =>
    simp
    omega
"""
MATCH = """\
def f : List Nat → Nat := fun xs =>
  match xs with
  | [] => 0
  | x :: rest =>
    let y := x + 1
    y + f rest
"""


def indented(text: str, more: int) -> str:
    """Every line but the first, deeper by `more`."""
    return text.replace("\n", "\n" + " " * more).rstrip(" ")


@pytest.mark.parametrize("text", [BLOCK, MATCH])
@pytest.mark.parametrize("more", [1, 2, 4])
def test_a_text_that_is_indented_as_a_whole_stays_the_same(
    text: str, more: int
) -> None:
    assert essence(indented(text, more)) == essence(text)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("def f := 1", "/-- One. -/\ndef f := 1"),
        ("def f := 1", "def f := 1 -- one"),
        ("def f := 1", "def f /- f -/ := /- one -/ 1"),
        ("def f := 1", "def  f  :=  1   "),
        ("def f := 1", "def f:=1"),
        ("def f := 1", "\n\n  def f := 1\n\n"),
        ("def f :=\n  1", "def f :=\n\n  -- one\n\n  1"),
        ("def f :=\n  1", "def f :=\r\n  1\r\n"),
        ("def f :=\n  1", "def f :=\n      1"),
        ("def f (a:Nat):Nat:=a+1", "def f ( a : Nat ) : Nat := a + 1"),
        ("def f := (a,b)", "def f := ( a , b )"),
        ("def f := fun x=>x", "def f := fun x => x"),
        ("def f := [a,b]", "def f := [ a, b ]"),
        ("def f := ⟨a,b⟩", "def f := ⟨ a, b ⟩"),
        ("def f := a-1", "def f := a - 1"),
        ("@[simp]\ndef f := 1", "@[ simp ]\ndef f := 1"),
        (BLOCK, BLOCK.replace("    simp\n    omega", "        simp\n        omega")),
        (BLOCK, BLOCK.replace("    exact", "       exact")),
    ],
)
def test_comments_and_idle_white_space_play_no_part(one: str, other: str) -> None:
    assert essence(one) == essence(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("def f := 1", "def f := 2"),
        ("def f := 1", "def f := 1 /-"),
        ("def f := a.b", "def f := a .b"),
        ("def f := a[0]", "def f := a [0]"),
        ("def f := f (a)", "def f := f(a)"),
        ("def f := n !", "def f := n!"),
        ("def f := a -b", "def f := a - b"),
        ("by simp +arith", "by simp + arith"),
        ('def f := "a b"', 'def f := "a  b"'),
        ('def f := "--a"', 'def f := "--b"'),
        ("def f := a < | b", "def f := a <| b"),
        ("def f := xs.1.2", "def f := xs.1 .2"),
        ("def f := 'a'", "def f := 'b'"),
        ("def f := a <--b\n", "def f := a <--c\n"),
        # A line break, and a line that moves into or out of a block.
        ("by\n  exact f\n  g", "by\n  exact f\n   g"),
        ("by\n  exact f\n  g", "by\n  exact f g"),
        (BLOCK, BLOCK.replace("    simp\n    omega", "    simp\n     omega")),
        (BLOCK, BLOCK.replace("    simp\n    omega", "    simp\n  omega")),
        (MATCH, MATCH.replace("    y + f", "  y + f")),
        ("by\n  · simp\n    exact a", "by\n  · simp\n     exact a"),
        ("by\n  ·  simp\n     exact a", "by\n  · simp\n     exact a"),
        (
            "x := by simp\n             exact a",
            "x := by simp\n              exact a",
        ),
        # A block at the left of the one around it does not end that one.
        (
            "by\n      exact by\n  a\n  b\n      simp",
            "by\n      exact by\n  a\n  b\n       simp",
        ),
        (
            "by\n    exact a +\n  b\n    simp",
            "by\n    exact a +\n  b\n     simp",
        ),
        (
            "by\n    exact (a\n  b)\n    simp",
            "by\n    exact (a\n  b)\n     simp",
        ),
        (
            "by\n    exact fun x\n  y => x\n    simp",
            "by\n    exact fun x\n  y => x\n     simp",
        ),
    ],
)
def test_what_lean_heeds_makes_a_difference(one: str, other: str) -> None:
    assert essence(one) != essence(other)


def test_an_unusual_layout_is_compared_as_it_stands() -> None:
    stairs = "by\n" + "\n".join(f"{' ' * n}f +" for n in range(1, 260))
    assert essence(stairs).startswith("exactly")
    assert essence(stairs) != essence(stairs.replace("\n f", "\n  f", 1))
    assert essence(stairs) == essence(stairs.replace("f +\n", "f + -- so\n", 1))


@given(st.text("abfx01 \n().,:=+-|⟨⟩λby·\"'/«»@", max_size=60))
def test_it_takes_any_text_and_a_comment_at_the_end_of_a_line_changes_nothing(
    text: str,
) -> None:
    once = essence(text)
    if "--" not in text and "/-" not in text and '"' not in text:
        assert essence(f"{text}\n-- said") == once


@given(st.lists(st.sampled_from(["a", "b", "(", ")", ":=", "by", "\n", "\n  "])))
def test_the_tokens_can_be_read_off_it(parts: list[str]) -> None:
    """Texts of other tokens never have the same essence."""
    text = " ".join(parts)
    other = " ".join([*parts, "c"])
    assert essence(text) != essence(other)
