from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from workbench.code.moves import find_moves


def numbered(start: int, *lines: str) -> dict[int, str]:
    return dict(enumerate(lines, start))


BLOCK = ("def add (a b : Nat) :=", "  a + b", "  -- end")


def test_three_lines_that_stand_elsewhere_have_moved() -> None:
    went, came = find_moves(numbered(10, *BLOCK), numbered(50, *BLOCK))
    assert went == {10: 50, 11: 51, 12: 52}
    assert came == {50: 10, 51: 11, 52: 12}


def test_indentation_may_change() -> None:
    went, _ = find_moves(
        numbered(1, *BLOCK), numbered(9, *(f"    {line}" for line in BLOCK))
    )
    assert len(went) == 3


def test_two_short_lines_are_chance() -> None:
    assert find_moves(
        numbered(1, "let x := 1", "return x"), numbered(9, "let x := 1", "return x")
    ) == ({}, {})


def test_one_long_line_is_not() -> None:
    line = "theorem intervals_stay_sorted_after_adding_one (s : IntervalSet) : s.WF"
    assert find_moves({3: line}, {8: line}) == ({3: 8}, {8: 3})


def test_blank_lines_do_not_count_and_do_not_end_a_block() -> None:
    block = (BLOCK[0], "", BLOCK[1], BLOCK[2], "", "")
    went, _ = find_moves(numbered(1, *block), numbered(20, *block))
    assert went == {1: 20, 2: 21, 3: 22, 4: 23}


def test_the_longest_of_several_places_is_taken() -> None:
    added = numbered(20, *BLOCK) | numbered(40, *BLOCK, "  -- and one more")
    went, _ = find_moves(numbered(1, *BLOCK, "  -- and one more"), added)
    assert went == {1: 40, 2: 41, 3: 42, 4: 43}


def test_a_place_is_taken_once() -> None:
    went, came = find_moves(
        numbered(1, *BLOCK) | numbered(9, *BLOCK), numbered(50, *BLOCK)
    )
    assert len(went) == len(came) == 3


def test_a_line_that_is_everywhere_starts_no_block() -> None:
    removed = dict.fromkeys(range(1, 4), "  simp only [foo, bar]")
    added = dict.fromkeys(range(100, 200), "  simp only [foo, bar]")
    assert find_moves(removed, added) == ({}, {})


@given(
    st.dictionaries(st.integers(1, 30), st.sampled_from(BLOCK)),
    st.dictionaries(st.integers(1, 30), st.sampled_from(BLOCK)),
)
def test_the_two_answers_mirror_each_other(
    removed: dict[int, str], added: dict[int, str]
) -> None:
    went, came = find_moves(removed, added)
    assert came == {new: old for old, new in went.items()}
    assert all(removed[old].split() == added[new].split() for old, new in went.items())
