from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from curation.reviews.anchors import LONGEST_QUOTE, LineMap, find_quote, quoted
from workbench.code.pane import LineRange

LINE = st.sampled_from(
    ["", "  ", "let x := 1", "let y := 2", "  fun s =>", "end", "if a then", "else"]
)
TEXT = st.lists(LINE, min_size=1, max_size=12).map("\n".join)
DISTINCT = st.lists(
    st.integers(0, 10_000).map(lambda n: f"let x{n} := {n}"),
    min_size=1,
    max_size=15,
    unique=True,
)


@given(TEXT, st.data())
def test_in_the_same_text_every_range_with_text_stands_where_it_is(
    text: str, data: st.DataObject
) -> None:
    lines = text.split("\n")
    first = data.draw(st.integers(1, len(lines)))
    last = data.draw(st.integers(first, len(lines)))
    found = LineMap.between(text, text).where(first, last)
    assert found is not None
    assert first <= found.first <= found.last <= last
    if lines[first - 1].strip() and lines[last - 1].strip():
        assert found == LineRange(first, last)


@given(DISTINCT, st.integers(0, 6), st.data())
def test_lines_that_come_before_it_move_it_down(
    lines: list[str], more: int, data: st.DataObject
) -> None:
    at = data.draw(st.integers(1, len(lines)))
    new = [f"-- new {n}" for n in range(more)] + lines
    found = LineMap.between("\n".join(lines), "\n".join(new)).where(at, at)
    assert found == LineRange(at + more, at + more)


@given(DISTINCT, st.data())
def test_a_line_that_is_gone_stands_nowhere(
    lines: list[str], data: st.DataObject
) -> None:
    at = data.draw(st.integers(1, len(lines)))
    rest = lines[: at - 1] + lines[at:]
    found = LineMap.between("\n".join(lines), "\n".join(rest))
    assert found.where(at, at) is None


@given(TEXT, TEXT, st.data())
def test_where_it_stands_the_same_is_written_but_for_whitespace(
    old: str, new: str, data: st.DataObject
) -> None:
    before, after = old.split("\n"), new.split("\n")
    first = data.draw(st.integers(1, len(before)))
    last = data.draw(st.integers(first, len(before)))
    found = LineMap.between(old, new).where(first, last)
    if found is None:
        return
    assert 1 <= found.first <= found.last <= len(after)
    spoken_about = {line.strip() for line in before[first - 1 : last]}
    assert after[found.first - 1].strip() in spoken_about
    assert after[found.last - 1].strip() in spoken_about


def test_whitespace_alone_does_not_loosen_it() -> None:
    assert LineMap.between("a\nlet x := 1", "a\n    let  x := 1").where(2, 2) == (2, 2)


def test_another_line_in_its_place_is_not_the_same_line() -> None:
    assert LineMap.between("a\nx < y\nb", "a\nx ≤ y\nb").where(2, 2) is None


def test_of_several_lines_one_that_stands_is_enough() -> None:
    old, new = "a\nb\nc\nd", "a\nB\nc\nd"
    assert LineMap.between(old, new).where(2, 3) == (3, 3)


def test_a_blank_line_is_no_hold_for_lines_with_text() -> None:
    assert LineMap.between("p\n\nq\nr", "s\n\nt\nr").where(1, 3) is None


def test_a_block_that_moved_is_followed() -> None:
    block = ["let alpha := 1", "let beta := 2", "let gamma := alpha + beta"]
    rest = [f"have h{n} : {n} = {n} := rfl" for n in range(8)]
    old, new = [*block, *rest], [*rest, *block]
    assert LineMap.between("\n".join(old), "\n".join(new)).where(2, 2) == (10, 10)


def test_lines_are_quoted() -> None:
    assert quoted("a\nb\nc", 2, 3) == "b\nc"
    assert quoted("x" * 9_000, 1, 1) == "x" * LONGEST_QUOTE + "…"


@pytest.mark.parametrize(("first", "last"), [(0, 1), (2, 1), (1, 4), (5, 5)])
def test_lines_that_are_not_there_are_refused_in_words(first: int, last: int) -> None:
    with pytest.raises(ValueError, match="expected lines between 1 and 3"):
        quoted("a\nb\nc", first, last)


@given(DISTINCT, st.integers(0, 6), st.data())
def test_a_quote_is_found_again_however_far_it_went(
    lines: list[str], more: int, data: st.DataObject
) -> None:
    first = data.draw(st.integers(1, len(lines)))
    last = data.draw(st.integers(first, len(lines)))
    quote = quoted("\n".join(lines), first, last)
    new = "\n".join([*(f"-- {n}" for n in range(more)), *lines])
    assert find_quote(new, quote, first) == (first + more, last + more)


def test_of_equal_lines_the_nearest_is_meant() -> None:
    assert find_quote("x\na\nx\nb\nx", "  x", 4) == (3, 3)


def test_a_quote_that_is_gone_or_blank_is_nowhere() -> None:
    assert find_quote("a\nb", "c", 1) is None
    assert find_quote("a\n\nb", "  ", 2) is None
