"""Marks of other tools: read, written, read again."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from curation.format.review_marks import read_review_marks, with_marks, written

NAMES = st.from_regex(r"[A-Za-z_][A-Za-z0-9_.'₁]{0,20}", fullmatch=True)
WORDS = st.text(
    st.characters(
        blacklist_categories=("Cs", "Cc"), blacklist_characters="\u2028\u2029\x85"
    ),
    max_size=60,
).map(lambda text: " ".join(text.split()))


def test_it_reads_the_line_of_the_public_exemplar() -> None:
    line = "-- !curation @review v1 [ ] createAccount — Impl/Account, exec-fn (API), reference impl"
    (mark,), bad = read_review_marks(
        "A.lean", f"def a := 1\n{line}\ndef createAccount := 2\n"
    )
    assert (mark.line, mark.version, mark.ticked) == (2, 1, False)
    assert mark.name == "createAccount"
    assert mark.text == "Impl/Account, exec-fn (API), reference impl"
    assert mark.raw == line
    assert bad == []


@given(st.integers(0, 999_999_999), st.booleans(), NAMES, WORDS)
def test_what_is_written_is_read_again(
    version: int, ticked: bool, name: str, text: str
) -> None:
    line = written(version, ticked, name, text)
    (mark,), bad = read_review_marks("A.lean", line + "\n")
    assert (mark.version, mark.ticked, mark.name, mark.text) == (
        version,
        ticked,
        name,
        text,
    )
    assert bad == []


@pytest.mark.parametrize(
    "rest", ["", "v [x] a", "v1 a — b", "v1 [y] a", "v1 [x]", "vx [ ] a"]
)
def test_a_line_that_cannot_be_read_is_kept_as_such(rest: str) -> None:
    line = f"-- !curation @review {rest}"
    marks, bad = read_review_marks("A.lean", line + "\n")
    assert marks == []
    assert [one.raw for one in bad] == [line]


def test_other_kinds_of_lines_are_no_marks() -> None:
    text = (
        "-- !curation @human: look at this\n-- !curation @v1 [x] a — old [RESOLVED]\n"
    )
    assert read_review_marks("A.lean", text) == ([], [])


def test_a_mark_in_a_string_is_none() -> None:
    text = 'def s := "\n-- !curation @review v1 [x] s — no\n"\n'
    assert read_review_marks("A.lean", text) == ([], [])


def test_other_lines_keep_their_bytes() -> None:
    text = "a\r\nb\r\n\r\nc"
    assert with_marks(text, {2: "-- m"}) == "a\r\n-- m\r\nb\r\n\r\nc"
    assert with_marks(text, {4: "-- m"}, [1]) == "b\r\n\r\n-- m\nc"
    assert with_marks(text, {}) == text
