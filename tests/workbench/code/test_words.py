from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.code.align import DIFFLIB, MATCHER, Matcher
from workbench.code.words import PAIR_LIMIT, changed_words, likeness, pair_lines

LINE = st.text(alphabet="ab x1()≤<", max_size=20)


def words(line: str, columns: tuple[tuple[int, int], ...]) -> list[str]:
    return [line[start:end] for start, end in columns]


@pytest.mark.parametrize("matcher", [MATCHER, DIFFLIB])
@pytest.mark.parametrize(
    ("old", "new", "gone", "come"),
    [
        ("iv.hi < lo", "iv.hi ≤ lo", ["<"], ["≤"]),
        ("let x := 1", "let y := 1", ["x"], ["y"]),
        ("f a", "f a b", [], [" b"]),
        ("touches x y", "touches x", [" y"], []),
        ("same", "same", [], []),
        ("  indented", "    indented", ["  "], ["    "]),
        ("a lo hi b", "a los his b", ["lo hi"], ["los his"]),
    ],
)
def test_it_finds_the_words_that_changed(
    matcher: Matcher, old: str, new: str, gone: list[str], come: list[str]
) -> None:
    old_columns, new_columns = changed_words(old, new, matcher)
    assert words(old, old_columns) == gone
    assert words(new, new_columns) == come


def test_where_nearly_all_changed_no_word_is_singled_out() -> None:
    assert changed_words("alpha beta gamma,", "delta epsilon zeta,") == ((), ())


@given(LINE, LINE)
def test_what_is_not_marked_is_the_same(old: str, new: str) -> None:
    gone, come = changed_words(old, new)
    if gone or come:
        assert _without(old, gone) == _without(new, come)


def _without(line: str, columns: tuple[tuple[int, int], ...]) -> str:
    marked = {column for start, end in columns for column in range(start, end)}
    return "".join(
        char
        for column, char in enumerate(line)
        if column not in marked and char not in " \t"
    )


@given(LINE, LINE)
def test_both_matchers_agree(old: str, new: str) -> None:
    assert changed_words(old, new, MATCHER) == changed_words(old, new, DIFFLIB)


@pytest.mark.parametrize(
    ("old", "new", "rows"),
    [
        ([], [], []),
        (["a"], [], [(0, None)]),
        ([], ["a"], [(None, 0)]),
        (["let x := 1"], ["let y := 1"], [(0, 0)]),
        (["let x := 1"], ["-- nothing alike here"], [(0, None), (None, 0)]),
        (
            ["let x := f 1", "y z w"],
            ["new line here", "let x := f 2", "y z w v"],
            [(None, 0), (0, 1), (1, 2)],
        ),
    ],
)
def test_lines_that_are_alike_are_paired(
    old: list[str], new: list[str], rows: list[tuple[int | None, int | None]]
) -> None:
    assert pair_lines(old, new) == rows


@given(st.lists(LINE, max_size=8), st.lists(LINE, max_size=8))
def test_every_line_is_in_one_row_in_order(old: list[str], new: list[str]) -> None:
    rows = pair_lines(old, new)
    assert [i for i, _ in rows if i is not None] == list(range(len(old)))
    assert [j for _, j in rows if j is not None] == list(range(len(new)))
    for i, j in rows:
        if i is not None and j is not None:
            assert likeness(old[i], new[j]) >= 0.5


def test_a_block_too_large_to_weigh_is_paired_by_place() -> None:
    count = PAIR_LIMIT
    old = [f"let x{n} := {n}" for n in range(count)]
    new = [f"let x{n} := {n} + 1" for n in range(count - 1)] + [
        "something else entirely"
    ]
    rows = pair_lines(old, new)
    assert rows[:3] == [(0, 0), (1, 1), (2, 2)]
    assert rows[-2:] == [(count - 1, None), (None, count - 1)]
