from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.workbench.code.markup_checks import assert_shows, read
from workbench.code.markup import Span, attribute, escape, overlay, plain_text, visible


@given(st.text())
def test_escaped_text_reads_as_the_same_text(text: str) -> None:
    text = text.replace("\n", "")
    assert_shows(escape(text), text)
    assert plain_text(escape(text)) == visible(text)


@given(st.text(alphabet="ab<>&\"' \n\0="))
def test_an_attribute_keeps_its_value_inside_the_quotes(text: str) -> None:
    reader = read(f'<span title="{attribute(text)}">x</span>')
    assert reader.attributes == [
        ("span", "title", "".join("␀" if c == "\0" else c for c in text))
    ]


def test_a_script_end_tag_is_text() -> None:
    assert_shows(
        escape("</script><script>alert(1)</script>"),
        "</script><script>alert(1)</script>",
    )


@pytest.mark.parametrize("char", ["\0", "\x1b", "\x7f", "\x85", "\ud800"])
def test_what_html_cannot_carry_is_replaced_one_for_one(char: str) -> None:
    shown = escape(f"a{char}b")
    assert len(shown) == 3
    assert char not in shown
    shown.encode("utf-8")


def test_a_span_is_cut_where_tags_of_the_line_begin() -> None:
    html = 'ab<span class="k">cd</span>ef'
    assert overlay(html, [Span(1, 5, "<ins>", "</ins>")]) == (
        'a<ins>b</ins><span class="k"><ins>cd</ins></span><ins>e</ins>f'
    )


def test_an_entity_counts_as_one_character() -> None:
    assert overlay("a&lt;b", [Span(1, 2, "<del>", "</del>")]) == "a<del>&lt;</del>b"


def test_a_span_beyond_the_end_marks_nothing() -> None:
    assert overlay("ab", [Span(5, 9, "<ins>", "</ins>")]) == "ab"


@given(
    st.text(alphabet="ab<&> ", max_size=30),
    st.sets(st.integers(0, 30), max_size=8),
    st.integers(1, 10),
)
def test_spans_cover_exactly_the_columns_they_name(
    text: str, borders: set[int], step: int
) -> None:
    html = "".join(
        f'<span class="k">{escape(text[at : at + step])}</span>'
        if at % 2
        else escape(text[at : at + step])
        for at in range(0, len(text), step)
    )
    edges = sorted(borders)
    spans = [
        Span(start, end, "<ins>", "</ins>")
        for start, end in zip(edges[::2], edges[1::2], strict=False)
    ]
    marked = overlay(html, spans)
    assert_shows(marked, text)
    covered = [
        column
        for span in spans
        for column in range(span.start, min(span.end, len(text)))
    ]
    assert _inserted_columns(marked) == covered


def _inserted_columns(html: str) -> list[int]:
    columns: list[int] = []
    at = 0
    for index, piece in enumerate(html.replace("</ins>", "<ins>").split("<ins>")):
        length = len(plain_text(piece))
        if index % 2:
            columns += range(at, at + length)
        at += length
    return columns
