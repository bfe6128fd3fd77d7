from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.workbench.code.markup_checks import read
from workbench.code.diff import Options, compare, renumbered, show
from workbench.code.diff_view import HunkView, view_diff
from workbench.code.highlight import highlight
from workbench.code.lines import split_lines
from workbench.code.markup import visible

TEXT = st.lists(
    st.sampled_from(["a <b>", "", "let x := 1", "let x := 2", "\u202e&", "-- c"]),
    max_size=8,
).map("\n".join)


def html_of(
    old: str, new: str, mode: str = "unified", options: Options | None = None
) -> str:
    view = view_diff(show(compare(old, new, options)), label="A.lean", mode=mode)
    return "".join(
        segment.old_html + segment.html
        for segment in view.segments
        if isinstance(segment, HunkView)
    )


def line_with(html: str, word: str) -> str:
    """Return the line of HTML that contains `word`."""
    return next(line for line in html.split("\n</span>") if word in line)


class TestUnified:
    def test_lines_carry_sign_number_and_words(self) -> None:
        html = html_of("let x := 1\n", "let y := 1\n")
        assert (
            '<span class="ln del" data-n="1" data-sign="−">let <del>x</del> := 1\n</span>'
            in html
        )
        assert (
            '<span class="ln add" data-n="1" data-sign="+">let <ins>y</ins> := 1\n</span>'
            in html
        )

    def test_an_unchanged_line_has_no_sign(self) -> None:
        assert '<span class="ln" data-n="1">a\n</span>' in html_of("a\nb\n", "a\nc\n")

    def test_colour_and_words_are_laid_over_each_other(self) -> None:
        old, new = "def f := 1\n", "def f := 2\n"
        view = view_diff(
            show(compare(old, new)),
            label="A",
            old=highlight(old, "lean"),
            new=highlight(new, "lean"),
        )
        (hunk,) = view.segments
        assert isinstance(hunk, HunkView)
        assert '<span class="mi"><del>1</del></span>' in hunk.html
        assert '<span class="mi"><ins>2</ins></span>' in hunk.html
        assert '<span class="k">def</span>' in hunk.html

    def test_a_missing_newline_at_the_end_is_said(self) -> None:
        html = html_of("a b c\n", "a b c")
        assert "no newline at end of file" in line_with(html, "ln add")
        assert "no newline" not in line_with(html, "ln del")

    def test_a_changed_line_end_is_said(self) -> None:
        html = html_of("a b\r\n", "a b\n", options=Options(ignore_line_ends=False))
        assert "CR LF" in line_with(html, "ln del")
        assert '<span class="cut">LF</span>' in line_with(html, "ln add")

    def test_overlooked_whitespace_leaves_a_sign(self) -> None:
        html = html_of("a  b\nx\n", "a b\ny\n", options=Options(ignore_whitespace=True))
        assert 'data-sign="~" title="differs in whitespace only"' in html

    def test_a_moved_block_says_once_where_it_went(self) -> None:
        block = "def add (a b : Nat) : Nat :=\n  a + b\n  -- done here\n"
        rest = "".join(f"other line {n}\n" for n in range(8))
        html = html_of(block + rest, rest + block)
        assert html.count('<span class="cut">moved to line 9</span>') == 1
        assert html.count('<span class="cut">moved from line 1</span>') == 1
        assert (
            html.count('class="ln del moved"')
            == html.count('class="ln add moved"')
            == 3
        )

    def test_a_change_beyond_the_cut_is_said(self) -> None:
        html = html_of("x " * 400 + "a\n", "x " * 400 + "b\n")
        assert html.count("changed there") == 2
        assert "changed there" not in html_of(
            "a" + " x" * 400 + "\n", "b" + " x" * 400 + "\n"
        )


class TestSplit:
    def test_both_sides_have_the_same_number_of_rows(self) -> None:
        view = view_diff(
            show(compare("a\nb\n", "a\nb\nc\nd\n")), label="A", mode="split"
        )
        (hunk,) = view.segments
        assert isinstance(hunk, HunkView)
        assert (
            hunk.old_html.count('<span class="ln')
            == hunk.html.count('<span class="ln')
            == 4
        )
        assert hunk.old_html.count("void") == 2

    def test_each_side_has_a_name_of_its_own(self) -> None:
        view = view_diff(show(compare("", "a\n")), label="A.lean", mode="split")
        (hunk,) = view.segments
        assert isinstance(hunk, HunkView)
        assert (hunk.old_label, hunk.label) == (
            "A.lean, old, nothing beside lines 1",
            "A.lean, new, lines 1",
        )


def test_another_mode_is_refused_by_name() -> None:
    with pytest.raises(ValueError, match="mode='side'"):
        view_diff(show(compare("a", "b")), label="A", mode="side")


@pytest.mark.parametrize("mode", ["unified", "split"])
@given(TEXT, TEXT)
def test_the_html_is_balanced_and_holds_both_texts(
    mode: str, old: str, new: str
) -> None:
    view = view_diff(
        show(compare(old, new), context=99),
        label="A",
        mode=mode,
        old=highlight(old, "lean"),
        new=highlight(new, "lean"),
    )
    html = "".join(
        s.old_html + s.html for s in view.segments if isinstance(s, HunkView)
    )
    assert not read(html).problems
    without_remarks = re.sub(r'<span class="cut">[^<]*</span>', "", html)
    shown = "".join(read(without_remarks).text).split("\n")
    for line in (*split_lines(old).lines, *split_lines(new).lines) if html else ():
        assert visible(line) in shown


def test_lines_are_numbered_as_in_the_files_they_are_from() -> None:
    old, new = "a\nb\nc\n", "a\nB\nc\n"
    compared = renumbered(compare(old, new), 11, 101)
    view = view_diff(
        show(compared, context=9),
        label="A",
        old=highlight(old, "lean"),
        new=highlight(new, "lean"),
        first=(11, 101),
        key="lean",
        notes={102: "<p>said</p>"},
    )
    html = "".join(s.html for s in view.segments if isinstance(s, HunkView))
    assert [*re.findall(r'data-n="(\d+)"', html)] == ["101", "12", "102", "103"]
    assert [*re.findall(r'id="(lean-\d+)"', html)] == [
        "lean-101",
        "lean-102",
        "lean-103",
    ]
    assert html.index('id="lean-102"') < html.index("</pre><p>said</p><pre>")
    assert not read(html).problems


@given(TEXT, TEXT, st.integers(1, 500), st.integers(1, 500))
def test_renumbering_changes_numbers_alone(
    old: str, new: str, first: int, second: int
) -> None:
    plain, moved = compare(old, new), renumbered(compare(old, new), first, second)
    for before, after in zip(plain.rows, moved.rows, strict=True):
        for side, by in (("old", first - 1), ("new", second - 1)):
            line, other = getattr(before, side), getattr(after, side)
            assert (line is None) == (other is None)
            if line is not None:
                assert (line.number + by, line.text) == (other.number, other.text)
