from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.code import comparison, diff
from workbench.code.align import DIFFLIB, MATCHER
from workbench.code.diff import (
    Comparison,
    DiffLine,
    FileDiff,
    Gap,
    Kind,
    Options,
    compare,
    show,
    show_gap,
)
from workbench.code.pane import LineRange, window_query

TEXT = st.lists(
    st.sampled_from(["a", "b", "", "let x := 1", "let x := 2", "  let x := 1", "a b"]),
    max_size=14,
).flatmap(
    lambda lines: st.sampled_from(["\n", "\r\n"]).map(lambda end: end.join(lines))
)


def applied(old: str, compared: Comparison) -> str:
    """Return what the comparison makes of `old`: its lines that stay, and those that came."""
    out: list[str] = []
    taken: list[str] = []
    for row in compared.rows:
        if row.old:
            taken.append(row.old.text + row.old.end)
        if row.new:
            out.append(row.new.text + row.new.end)
    assert "".join(taken) == old
    return "".join(out)


def lines(shown: FileDiff) -> list[str]:
    """Return the lines of a diff in one column: sign, number, text."""
    signs = {Kind.SAME: " ", Kind.ADDED: "+", Kind.REMOVED: "-"}
    out: list[str] = []
    for segment in shown.segments:
        if isinstance(segment, Gap):
            out.append(f"… {segment.new}")
        else:
            out += [
                f"{signs[line.kind]}{line.number} {line.text}"
                for line, _ in segment.unified()
            ]
    return out


def changed(compared: Comparison) -> list[DiffLine]:
    return [
        line
        for row in compared.rows
        if not row.same
        for line in (row.old, row.new)
        if line
    ]


def numbers(count: int, **replaced: str) -> str:
    return "".join(
        replaced.get(f"n{n}", f"line {n}") + "\n" for n in range(1, count + 1)
    )


class TestCompare:
    @pytest.mark.parametrize(
        "options", [Options(a, b) for a in (True, False) for b in (True, False)]
    )
    @given(TEXT, TEXT)
    def test_applying_it_gives_the_new_text(
        self, options: Options, old: str, new: str
    ) -> None:
        assert applied(old, compare(old, new, options)) == new

    @given(
        st.text(alphabet="ab\n\r\x0c\u2028", max_size=30),
        st.text(alphabet="ab\n\r\x0c\u2028", max_size=30),
    )
    def test_odd_line_ends_survive(self, old: str, new: str) -> None:
        assert applied(old, compare(old, new)) == new

    @given(TEXT, TEXT)
    def test_both_matchers_agree(self, old: str, new: str) -> None:
        assert compare(old, new, matcher=MATCHER) == compare(old, new, matcher=DIFFLIB)

    @given(TEXT, TEXT)
    def test_what_is_called_the_same_is_the_same(self, old: str, new: str) -> None:
        for row in compare(old, new, Options(ignore_line_ends=False)).rows:
            if row.same and row.old and row.new:
                assert (row.old.text, row.old.end) == (row.new.text, row.new.end)
                assert not row.ignored

    def test_equal_texts_differ_in_nothing(self) -> None:
        assert not changed(compare("a\nb\n", "a\nb\n"))

    def test_a_changed_line_stands_beside_what_it_was_with_its_words(self) -> None:
        (row,) = compare("let x := 1\n", "let y := 1\n").rows
        assert row.old == DiffLine(Kind.REMOVED, 1, "let x := 1", "\n", ((4, 5),))
        assert row.new == DiffLine(Kind.ADDED, 1, "let y := 1", "\n", ((4, 5),))

    def test_a_lost_final_newline_is_a_change(self) -> None:
        assert [(line.kind, line.end) for line in changed(compare("a\n", "a"))] == [
            (Kind.REMOVED, "\n"),
            (Kind.ADDED, ""),
        ]

    def test_an_empty_side_is_all_added_or_removed(self) -> None:
        assert [line.kind for line in changed(compare("", "a\nb"))] == [Kind.ADDED] * 2
        assert [line.kind for line in changed(compare("a\nb", ""))] == [
            Kind.REMOVED
        ] * 2
        assert compare("", "").rows == ()


class TestOptions:
    def test_line_ends_are_overlooked_and_counted_unless_asked_for(self) -> None:
        shown = show(compare("a\r\nb\r\n", "a\nb\n"))
        assert shown.same
        assert shown.notes == ("2 lines differ in the line end only (CRLF → LF).",)
        asked = show(compare("a\r\nb\r\n", "a\nb\n", Options(ignore_line_ends=False)))
        assert (asked.added, asked.removed, asked.notes) == (2, 2, ())

    def test_whitespace_counts_unless_told_otherwise(self) -> None:
        assert not show(compare("a b\n", "  a  b\n")).same
        shown = show(compare("a b\n", "  a  b \n", Options(ignore_whitespace=True)))
        assert shown.same
        assert shown.notes == (
            "1 line differs in whitespace only, not shown as changed.",
        )

    def test_a_blank_that_is_no_space_is_never_overlooked(self) -> None:
        assert not show(
            compare("a b\n", "a\u00a0b\n", Options(ignore_whitespace=True))
        ).same

    def test_words_that_grow_together_are_a_change(self) -> None:
        assert not show(compare("a b\n", "ab\n", Options(ignore_whitespace=True))).same


class TestMoves:
    def test_a_moved_block_is_marked_on_both_sides_and_has_no_words(self) -> None:
        block = "def add (a b : Nat) : Nat :=\n  a + b\n  -- done here\n"
        rest = "".join(f"other line {n}\n" for n in range(8))
        shown = show(compare(block + rest, rest + block))
        moved = [
            line for line in changed(compare(block + rest, rest + block)) if line.moved
        ]
        assert shown.moved == 3
        assert {(line.kind, line.number, line.moved) for line in moved} == {
            *((Kind.REMOVED, n, n + 8) for n in (1, 2, 3)),
            *((Kind.ADDED, n + 8, n) for n in (1, 2, 3)),
        }
        assert not any(line.words for line in moved)


class TestShow:
    def test_a_change_has_three_lines_around_it_and_the_rest_is_a_gap(self) -> None:
        shown = show(compare(numbers(30), numbers(30, n15="changed")))
        assert lines(shown) == [
            "… 1–11",
            " 12 line 12", " 13 line 13", " 14 line 14",
            "-15 line 15", "+15 changed",
            " 16 line 16", " 17 line 17", " 18 line 18",
            "… 19–30",
        ]  # fmt: skip
        assert (shown.added, shown.removed) == (1, 1)

    def test_removed_lines_come_before_added_ones(self) -> None:
        shown = show(compare("let x := 1\nlet y := 2\n", "let x := 3\nlet y := 4\n"))
        assert [line[0] for line in lines(shown)] == ["-", "-", "+", "+"]

    def test_near_changes_share_a_hunk(self) -> None:
        shown = show(compare(numbers(30), numbers(30, n10="x", n19="y")))
        assert [segment.is_gap for segment in shown.segments] == [True, False, True]

    def test_lines_asked_for_stay_open(self) -> None:
        shown = show(
            compare(numbers(40), numbers(40, n5="x")), opened=[LineRange(30, 40)]
        )
        assert lines(shown)[-12:] == [
            "… 9–29",
            *(f" {n} line {n}" for n in range(30, 41)),
        ]

    def test_texts_that_are_equal_are_one_gap(self) -> None:
        assert lines(show(compare(numbers(30), numbers(30)))) == ["… 1–30"]
        assert lines(show(compare("a\n", "a\n"))) == ["… 1"]

    def test_a_gap_knows_both_sides_and_how_to_open(self) -> None:
        shown = show(
            compare("new\n" + numbers(30), numbers(30, n30="x")), link=window_query
        )
        gap = next(segment for segment in shown.segments if isinstance(segment, Gap))
        assert (gap.old, gap.new) == ((5, 27), (4, 26))
        assert gap.openings[0].url == "lines=4-26&within=4-26"

    def test_an_opened_gap_shows_its_lines_only(self) -> None:
        compared = compare(numbers(1000), numbers(1000, n500="x"))
        shown = show_gap(
            compared, LineRange(297, 496), LineRange(1, 496), link=window_query
        )
        assert lines(shown)[0] == "… 1–296"
        assert lines(shown)[1:] == [f" {n} line {n}" for n in range(297, 497)]

    def test_a_greedy_request_does_not_get_the_whole_file(self) -> None:
        shown = show_gap(
            compare(numbers(5000), numbers(5000)),
            LineRange(1, 5000),
            LineRange(1, 5000),
        )
        assert len(lines(shown)) < 250

    def test_a_huge_change_is_shown_page_by_page(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(diff, "MOST_ROWS", 4)
        compared = compare("", numbers(10))
        first = show(compared, more=lambda row: f"?start={row}")
        assert len(lines(first)) == 4
        assert (first.rows_left, first.more_url) == (6, "?start=4")
        last = show(compared, start=8, more=lambda row: f"?start={row}")
        assert lines(last) == ["+9 line 9", "+10 line 10"]
        assert (last.rows_left, last.more_url) == (0, "")


class TestLimits:
    def test_much_change_is_shown_by_whole_lines_and_says_so(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(comparison, "WORD_BUDGET", 10)
        compared = compare("let x := 1\n", "let y := 1\n")
        assert not any(line.words for line in changed(compared))
        assert "Too much has changed to compare word by word" in show(compared).notes[0]

    def test_unchanged_text_does_not_use_up_the_budget(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(comparison, "WORD_BUDGET", 30)
        assert any(
            line.words
            for line in changed(
                compare(numbers(500) + "let x := 1\n", numbers(500) + "let y := 1\n")
            )
        )

    def test_a_line_of_a_megabyte_is_compared_as_a_whole(self) -> None:
        old, new = "x y " * 250_000, "x y " * 249_999 + "z y "
        (row,) = compare(old, new).rows
        assert row.old
        assert row.new
        assert (row.old.words, row.new.words) == ((), ())

    def test_ten_thousand_lines_with_repeats_are_compared(self) -> None:
        pick = random.Random(7)
        old = [
            pick.choice(["", "  end", "x := 1"]) if pick.random() < 0.4 else f"line {n}"
            for n in range(10_000)
        ]
        new = list(old)
        for _ in range(300):
            at = pick.randrange(len(new))
            new[at : at + pick.randrange(4)] = [
                f"new {pick.random()}"
            ] * pick.randrange(4)
        compared = compare("\n".join(old), "\n".join(new))
        assert applied("\n".join(old), compared) == "\n".join(new)
        assert not compared.coarse
        assert len(changed(compared)) < 2_000

    def test_hopeless_repetition_is_given_up_and_says_so(self) -> None:
        pick = random.Random(7)
        old, new = (
            "\n".join(pick.choice("abc") for _ in range(10_000)) for _ in range(2)
        )
        compared = compare(old, new)
        assert applied(old, compared) == new
        assert "Too many repeated lines" in show(compared).notes[0]
