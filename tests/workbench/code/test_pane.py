from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.workbench.code.markup_checks import read
from workbench.code.highlight import Highlighted, highlight
from workbench.code.markup import Span
from workbench.code.pane import (
    MAX_OPEN,
    STEP,
    Annotations,
    Fold,
    LineRange,
    Pane,
    Run,
    build_fragment,
    build_pane,
    read_window,
    window_query,
)


def text_of(count: int) -> Highlighted:
    """Return `count` highlighted lines, line n being `line n`."""
    return highlight("".join(f"line {n}\n" for n in range(1, count + 1)), "text")


def pane_of(
    count: int, *focus: tuple[int, int], context: int = 0, **annotations: Any
) -> Pane:
    return build_pane(
        text_of(count),
        key="lean",
        label="Lean, A.lean",
        focus=[LineRange(*lines) for lines in focus],
        context=context,
        annotations=Annotations(link=window_query, **annotations),
    )


def outline(pane: Pane) -> list[str]:
    """Return the segments in short: `[1-3]` open, `(4-9)` folded."""
    return [
        f"({s.lines.query})" if s.is_fold else f"[{s.lines.query}]"
        for s in pane.segments
    ]


def folds(pane: Pane) -> list[Fold]:
    return [segment for segment in pane.segments if isinstance(segment, Fold)]


def shown(pane: Pane) -> str:
    return "".join(
        segment.html for segment in pane.segments if isinstance(segment, Run)
    )


class TestWindow:
    def test_the_focus_is_open_and_the_rest_folded(self) -> None:
        assert outline(pane_of(100, (40, 50))) == ["(1-39)", "[40-50]", "(51-100)"]

    def test_context_widens_the_focus(self) -> None:
        assert outline(pane_of(100, (40, 50), context=3)) == [
            "(1-36)",
            "[37-53]",
            "(54-100)",
        ]

    def test_a_gap_of_three_lines_is_not_worth_a_fold(self) -> None:
        assert outline(pane_of(60, (4, 20), (24, 57))) == ["[1-60]"]
        assert outline(pane_of(60, (5, 20), (25, 56))) == [
            "(1-4)",
            "[5-20]",
            "(21-24)",
            "[25-56]",
            "(57-60)",
        ]

    def test_overlapping_and_unsorted_focus_is_one_run(self) -> None:
        assert outline(pane_of(100, (30, 40), (10, 35))) == [
            "(1-9)",
            "[10-40]",
            "(41-100)",
        ]

    def test_focus_outside_the_file_is_cut_to_it(self) -> None:
        assert outline(pane_of(10, (8, 99))) == ["(1-7)", "[8-10]"]
        assert outline(pane_of(10, (50, 60))) == ["[1-10]"]

    def test_without_focus_a_small_file_is_open(self) -> None:
        assert outline(pane_of(7)) == ["[1-7]"]

    def test_of_a_large_file_only_the_start_is_open(self) -> None:
        assert outline(pane_of(MAX_OPEN + 500)) == [
            f"[1-{MAX_OPEN}]",
            f"({MAX_OPEN + 1}-{MAX_OPEN + 500})",
        ]

    def test_an_empty_file_has_no_segments(self) -> None:
        assert pane_of(0).segments == ()

    @given(
        st.integers(1, 80),
        st.lists(st.tuples(st.integers(-5, 90), st.integers(0, 20)), max_size=4),
        st.lists(st.integers(1, 80), max_size=5),
    )
    def test_every_line_is_in_exactly_one_segment(
        self, count: int, focus: list[tuple[int, int]], names: list[int]
    ) -> None:
        pane = pane_of(
            count,
            *((first, first + size) for first, size in focus),
            names=[(line, f"n{line}") for line in names],
        )
        covered = [
            n for s in pane.segments for n in range(s.lines.first, s.lines.last + 1)
        ]
        assert covered == list(range(1, count + 1))


class TestFolds:
    def test_it_names_what_is_inside(self) -> None:
        names = [(n * 10, f"decl{n}") for n in range(1, 9)]
        pane = pane_of(100, (95, 100), names=names)
        assert [fold.summary for fold in folds(pane)] == [
            "decl1, decl2, decl3, decl4 and 3 more",
            "decl8",
        ]

    def test_the_neighbours_of_the_focus_open_by_themselves(self) -> None:
        names = [(n * 10, f"decl{n}") for n in range(1, 10)]
        pane = pane_of(100, (50, 59), names=names)
        assert outline(pane) == [
            "(1-39)",
            "(40-49)",
            "[50-59]",
            "(60-69)",
            "(70-79)",
            "(80-100)",
        ]

    def test_a_fold_without_a_declaration_says_what_it_comes_after(self) -> None:
        pane = pane_of(100, (10, 20), names=[(10, "add")])
        assert folds(pane)[1].summary == "after add"

    def test_one_link_opens_a_small_fold(self) -> None:
        (opening,) = folds(pane_of(100, (40, 100)))[0].openings
        assert opening.words == "show 39 lines"
        assert opening.url == "lines=1-39&within=1-39"

    def test_a_large_fold_opens_from_either_end(self) -> None:
        first, last = folds(pane_of(1000, (901, 1000)))[0].openings
        assert (first.words, first.url) == (
            "show first 200",
            "lines=1-200&within=1-900",
        )
        assert (last.words, last.url) == (
            "show last 200 of 900",
            "lines=701-900&within=1-900",
        )

    def test_without_a_link_nothing_can_be_opened(self) -> None:
        pane = build_pane(text_of(100), key="a", label="A", focus=[LineRange(1, 5)])
        assert folds(pane)[0].openings == ()


class TestFragment:
    def fragment(
        self, lines: tuple[int, int], within: tuple[int, int], count: int = 1000
    ) -> Pane:
        return build_fragment(
            text_of(count),
            LineRange(*lines),
            LineRange(*within),
            key="lean",
            label="Lean",
            annotations=Annotations(
                link=window_query, names=[(50, "add"), (300, "sub")]
            ),
        )

    def test_it_lays_out_the_fold_and_nothing_else(self) -> None:
        assert outline(self.fragment((1, 39), (1, 39))) == ["[1-39]"]
        assert outline(self.fragment((1, 200), (1, 900))) == ["[1-200]", "(201-900)"]
        assert outline(self.fragment((701, 900), (1, 900))) == ["(1-700)", "[701-900]"]

    def test_what_is_left_can_be_opened_in_turn(self) -> None:
        rest = folds(self.fragment((701, 900), (1, 900)))[0]
        assert [opening.url for opening in rest.openings] == [
            "lines=1-200&within=1-700",
            "lines=501-700&within=1-700",
        ]

    def test_a_greedy_request_gets_no_more_than_a_step_and_a_margin(self) -> None:
        pane = self.fragment((1, 10_000), (1, 10_000), count=10_000)
        run = next(segment for segment in pane.segments if isinstance(segment, Run))
        assert run.lines.size <= STEP + 6

    def test_lines_beyond_the_end_give_nothing(self) -> None:
        assert self.fragment((2000, 2100), (2000, 2100)).segments == ()


class TestQuery:
    def test_it_reads_what_it_writes(self) -> None:
        assert read_window({"lines": "3-9", "within": "1-20"}) == ((3, 9), (1, 20))

    def test_no_window_is_asked_for(self) -> None:
        assert read_window({"q": "x"}) is None

    @pytest.mark.parametrize(
        "value",
        [
            "",
            "3",
            "3-",
            "-3",
            "9-3",
            "0-3",
            "a-b",
            "1-2-3",
            "٣-٤",
            "1-" + "9" * 30,
            "+1-2",
            " 1-2",
        ],
    )
    def test_what_cannot_be_read_is_refused_by_name(self, value: str) -> None:
        with pytest.raises(ValueError, match=r"lines=.*expected two line numbers"):
            read_window({"lines": value})

    def test_lines_outside_the_fold_are_refused(self) -> None:
        with pytest.raises(ValueError, match="expected lines inside within=5-9"):
            read_window({"lines": "1-6", "within": "5-9"})


class TestLines:
    def test_a_line_carries_its_number_and_id_and_its_text(self) -> None:
        assert '<span class="ln" id="lean-2" data-n="2">line 2\n</span>' in shown(
            pane_of(3)
        )

    def test_the_number_is_not_in_the_text(self) -> None:
        pane = build_pane(highlight("a\n\n  b\n", "text"), key="k", label="A")
        assert "".join(read(shown(pane)).text) == "a\n\n  b\n"

    def test_a_mark_is_a_class_and_words(self) -> None:
        html = shown(pane_of(5, (1, 5), marks={2: {"changed"}, 3: {"fault", "anchor"}}))
        assert (
            '<span class="ln changed" id="lean-2" data-n="2" title="changed since the last review">'
            in html
        )
        assert 'class="ln anchor fault"' in html
        assert 'data-sign="✕"' in html

    def test_markers_of_the_format_are_marked_without_being_told(self) -> None:
        code = highlight("-- !benchmark @start code def=f\nx\n", "lean")
        html = shown(build_pane(code, key="lean", label="A"))
        assert '<span class="ln marker" id="lean-1"' in html
        assert '<span class="ln" id="lean-2"' in html

    @pytest.mark.parametrize(
        "annotation",
        [{"marks": {70: {"fault"}}}, {"marks": {70: {"anchor"}}}, {"notes": {70: ""}}],
    )
    def test_lines_that_must_be_seen_are_open_outside_the_focus(
        self, annotation: dict[str, Any]
    ) -> None:
        assert outline(pane_of(100, (10, 20), **annotation)) == [
            "(1-9)",
            "[10-20]",
            "(21-67)",
            "[68-72]",
            "(73-100)",
        ]

    def test_a_commented_line_is_open_however_large_the_focus(self) -> None:
        last = 2 * MAX_OPEN
        assert f"[{last - 2}-{last}]" in outline(
            pane_of(last, (1, last - 10), notes={last: "<p>x</p>"})
        )

    def test_a_changed_line_alone_opens_nothing(self) -> None:
        assert outline(pane_of(100, (10, 20), marks={70: {"changed"}})) == [
            "(1-9)",
            "[10-20]",
            "(21-100)",
        ]

    def test_a_note_stands_between_two_pieces_of_code(self) -> None:
        html = shown(pane_of(3, notes={2: '<div class="thread">T</div>'}))
        assert re.search(
            r'line 2\n</span></pre><div class="thread">T</div><pre><span class="ln" id="lean-3"',
            html,
        )
        assert shown(pane_of(3, notes={3: "<div>T</div>"})).endswith(
            "</pre><div>T</div>"
        )

    def test_a_span_is_laid_over_its_line(self) -> None:
        html = shown(pane_of(2, spans={2: [Span(0, 4, "<mark>", "</mark>")]}))
        assert "<mark>line</mark> 2" in html

    def test_a_cut_line_leads_to_the_whole(self) -> None:
        code = highlight("x" * 1400, "text")
        html = shown(
            build_pane(
                code,
                key="k",
                label="A",
                annotations=Annotations(raw=lambda n: f"/raw?a=1&l={n}"),
            )
        )
        assert (
            '… 1,000 more characters, <a href="/raw?a=1&amp;l=1">show raw</a>' in html
        )
        assert "1,000 more characters</span>" in shown(
            build_pane(code, key="k", label="A")
        )

    def test_each_region_has_a_name_of_its_own(self) -> None:
        labels = [
            s.label
            for s in pane_of(100, (10, 20), (50, 60)).segments
            if isinstance(s, Run)
        ]
        assert labels == ["Lean, A.lean, lines 10–20", "Lean, A.lean, lines 50–60"]


def test_ten_thousand_lines_send_only_the_window() -> None:
    pane = pane_of(10_000, (5_000, 5_020))
    assert len(shown(pane)) < 3_000
    assert pane.total == 10_000


def test_findings_in_folded_lines_are_reported() -> None:
    code = highlight("a\n" * 50 + "\u202e\n", "text")
    pane = build_pane(code, key="k", label="A", focus=[LineRange(1, 5)])
    assert pane.levels == {"bad": 1, "warn": 0, "info": 0}


def test_a_name_that_has_a_target_is_a_link_out_of_the_order_of_tab() -> None:
    code = highlight("def push := cons x'\n", "lean4")
    targets = {"cons": "/d/1/?a=1&b=2", "x'": "/d/2/", "gone": "/d/3/"}
    html = shown(
        build_pane(code, key="k", label="A", annotations=Annotations(targets=targets))
    )
    assert '<a data-name="cons" href="/d/1/?a=1&amp;b=2" tabindex="-1">cons</a>' in html
    assert 'href="/d/2/"' in html
    assert html.count("<a ") == 2
