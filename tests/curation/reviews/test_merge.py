from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from curation.reviews.merge import has_marks, merge

TEXT = st.lists(st.sampled_from(["", "a", "b", "  c", "let x := 1"]), max_size=10).map(
    "\n".join
)


@given(TEXT, TEXT)
def test_who_changed_alone_is_taken_over(base: str, changed: str) -> None:
    assert merge(base, changed, base) == (merge(base, base, changed))
    assert merge(base, changed, base).text == changed
    assert merge(base, changed, base).conflicts == 0


@given(TEXT, TEXT)
def test_the_same_change_twice_is_no_conflict(base: str, changed: str) -> None:
    merged = merge(base, changed, changed)
    assert (merged.text, merged.conflicts) == (changed, 0)


@given(TEXT, TEXT, TEXT)
def test_nothing_that_somebody_added_is_lost(base: str, mine: str, other: str) -> None:
    merged = merge(base, mine, other)
    written = set(merged.text.split("\n"))
    known = set(base.split("\n"))
    for text in (mine, other):
        assert set(text.split("\n")) - known <= written
    assert has_marks(merged.text) == (merged.conflicts > 0)


def test_changes_in_different_places_come_together() -> None:
    merged = merge("a\nb\nc\nd\ne", "A\nb\nc\nd\ne", "a\nb\nc\nd\nE")
    assert (merged.text, merged.conflicts) == ("A\nb\nc\nd\nE", 0)


def test_different_changes_of_one_place_stand_between_marks() -> None:
    merged = merge("a\nx\nb", "a\nx1\nb", "a\nx2\nb", names=("yours, on v3", "v4"))
    assert merged.text == ("a\n<<<<<<< yours, on v3\nx1\n=======\nx2\n>>>>>>> v4\nb")
    assert merged.conflicts == 1


def test_an_underlined_heading_is_no_mark() -> None:
    assert not has_marks("/-\nTitle\n=======\n-/")
    assert has_marks(">>>>>>> v4")
