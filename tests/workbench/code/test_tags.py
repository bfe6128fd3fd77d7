from __future__ import annotations

from dataclasses import replace

from django.template import Context, Template

from tests.workbench.code.markup_checks import read
from workbench.code.confusables import scan
from workbench.code.diff import compare, show
from workbench.code.diff_view import view_diff
from workbench.code.highlight import highlight
from workbench.code.pane import Annotations, LineRange, Pane, build_pane, window_query
from workbench.code.trees import diff_trees

ATTACK = "</pre><script>alert(1)</script>\"' onload=x"


def render(source: str, **context: object) -> str:
    return Template("{% load code %}" + source).render(Context(context))


def pane(
    text: str,
    *focus: tuple[int, int],
    label: str = "Lean",
    names: tuple[tuple[int, str], ...] = (),
) -> Pane:
    return build_pane(
        highlight(text, "lean"),
        key="lean",
        label=label,
        focus=[LineRange(*lines) for lines in focus],
        annotations=Annotations(
            names=names, link=lambda a, b: f"/window?x=1&{window_query(a, b)}"
        ),
    )


class TestCodePane:
    def test_a_run_is_a_region_that_can_be_focused_and_has_a_name(self) -> None:
        html = render(
            "{% code_pane pane %}", pane=pane("def f := 1\n", label="Lean, A.lean")
        )
        assert (
            '<div class="code" tabindex="0" role="region" aria-label="Lean, A.lean, lines 1"><pre>'
            in html
        )
        assert '<div class="codepane" data-code-pane="lean">' in html

    def test_a_fold_is_a_plain_link_that_htmx_makes_quicker(self) -> None:
        html = render(
            "{% code_pane pane %}",
            pane=pane("x\n" * 100, (50, 100), names=((3, "add"),)),
        )
        url = "/window?x=1&amp;lines=3-49&amp;within=3-49"
        assert (
            f'<a class="fold" href="{url}" hx-get="{url}" hx-target="this" hx-swap="outerHTML">'
            in html
        )
        assert "<span>add</span>" in html

    def test_a_large_fold_has_two_links_that_replace_it_whole(self) -> None:
        html = render("{% code_pane pane %}", pane=pane("x\n" * 1000, (901, 1000)))
        assert html.count('hx-target="closest .fold"') == 2

    def test_nothing_of_the_file_or_its_names_becomes_markup(self) -> None:
        html = render(
            "{% code_pane pane %}",
            pane=pane(f"{ATTACK}\n" * 9, (5, 9), label=ATTACK, names=((1, ATTACK),)),
        )
        assert "<script" not in html
        names = {name for _, name, _ in read(html).attributes}
        assert not {name for name in names if name == "style" or name.startswith("on")}

    def test_a_note_on_the_colour_is_shown(self) -> None:
        html = render(
            "{% code_pane pane %}",
            pane=replace(pane("x"), note="Shown without colour."),
        )
        assert "Shown without colour." in html

    def test_an_empty_file_says_so(self) -> None:
        assert "This file is empty." in render("{% code_pane pane %}", pane=pane(""))


class TestCodeFragment:
    def test_focus_goes_to_the_lines_that_appeared(self) -> None:
        html = render("{% code_fragment pane %}", pane=pane("x\n"))
        assert "autofocus" in html
        assert "codepane" not in html
        assert "autofocus" not in render("{% code_pane pane %}", pane=pane("x\n"))


class TestDiff:
    def test_it_shows_summary_notes_and_hunks(self) -> None:
        html = render(
            "{% diff shown %}",
            shown=show(compare("a\r\nlet x := 1\r\n", "a\nlet y := 1\n")),
        )
        assert '<span class="added">+1</span>' in html
        assert "1 line differs in the line end only" in html
        assert "let <ins>y</ins> := 1" in html
        assert 'aria-label="Changes, lines 1–2"' in html

    def test_equal_texts_say_so(self) -> None:
        assert "no line added or removed" in render(
            "{% diff shown %}", shown=show(compare("a", "a"))
        )

    def test_side_by_side_is_two_regions_with_names(self) -> None:
        view = view_diff(show(compare("a b\n", "a c\n")), label="A.lean", mode="split")
        html = render("{% diff shown %}", shown=view)
        assert 'aria-label="A.lean, old, lines 1"' in html
        assert 'aria-label="A.lean, new, lines 1"' in html
        assert html.count('tabindex="0"') == 2

    def test_a_gap_opens_by_link(self) -> None:
        text = "x\n" * 50
        shown = show(
            compare(text + "a", text + "b"), link=lambda a, b: f"?{window_query(a, b)}"
        )
        assert 'hx-get="?lines=1-47&amp;within=1-47"' in render(
            "{% diff shown %}", shown=shown
        )

    def test_a_fragment_has_no_summary(self) -> None:
        html = render("{% diff_fragment shown %}", shown=show(compare("a", "b")))
        assert "diffsummary" not in html
        assert "autofocus" in html

    def test_code_in_a_diff_is_text(self) -> None:
        for mode in ("unified", "split"):
            html = render(
                "{% diff shown 'A' mode %}", shown=show(compare("a", ATTACK)), mode=mode
            )
            assert "<script" not in html


class TestChangedFiles:
    def test_each_file_has_its_change_and_its_link(self) -> None:
        files = diff_trees({"a": "1", "b": "2"}, {"c": "1", "b": "3", "<d>": "4"})
        html = render(
            "{% changed_files files urls %}",
            files=files,
            urls={"b": "/d?p=b"},
        )
        assert '<a class="name" href="/d?p=b">b</a>' in html
        assert "was a" in html
        assert ">renamed</span>" in html
        assert "&lt;d&gt;" in html

    def test_no_difference_is_a_sentence(self) -> None:
        assert "No file differs." in render("{% changed_files files %}", files=[])


class TestCharacterFindings:
    def test_nothing_found_is_said(self) -> None:
        html = render("{% character_findings found %}", found=())
        assert "no invisible, bidirectional or confusable characters" in html

    def test_the_worst_come_first_with_place_and_words(self) -> None:
        html = render(
            "{% character_findings found %}", found=tuple(scan("a ∣ b\nx\u202e\n"))
        )
        assert "1 hidden or reordering character<" in html
        assert html.index("U+202E") < html.index("U+2223")
        assert "2:2" in html

    def test_a_flood_is_counted_as_at_least_so_many(self) -> None:
        html = render(
            "{% character_findings found %}", found=tuple(scan("\u200b" * 10_001))
        )
        assert "10000 or more hidden or reordering characters" in html

    def test_a_long_list_is_cut_and_says_so(self) -> None:
        html = render(
            "{% character_findings found %}", found=tuple(scan("\u200b" * 50))
        )
        assert "and 30 more" in html
