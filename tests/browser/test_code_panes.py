"""Code panes in a real browser, on a page of their own: no site is needed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.contrib.staticfiles import finders
from django.template import Context, Template
from playwright.sync_api import Browser, Page, Route, expect

from tests.browser.visitor import ALL_RULES, ONLY_WHAT_IS_WRONG, THEMES
from workbench.code.diff import compare, show
from workbench.code.diff_view import view_diff
from workbench.code.highlight import highlight
from workbench.code.pane import (
    Annotations,
    LineRange,
    Pane,
    build_fragment,
    build_pane,
    read_window,
    window_query,
)

ADDRESS = "http://panes.test"
POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'"

LEAN = """\
def before := 1

-- these six lines are folded



def fromPairs (pairs : List Pair) : Ledger :=
\tpairs.foldl addPair empty

def touching (s : Ledger) : Bool := s.ok\u202e && s.hidden\u200b
-- the last line of the focus
""" + "".join(f"def after{n} := {n}\n" for n in range(8, 400))

PYTHON = (
    """\
def from_pairs(pairs):
    return pairs

_los = "" * 3
"""
    + f"long = '{'y' * 600}'\n"
)

PAGE = """{% load code %}<!doctype html><html lang="en" data-theme="{{ theme }}"><head><meta charset="utf-8"><title>Panes</title>
<meta name="htmx-config" content='{"includeIndicatorStyles":false,"allowEval":false}'>
<link rel="stylesheet" href="/static/ui/tokens.css"><link rel="stylesheet" href="/static/ui/components.css">
<link rel="stylesheet" href="/static/code/code.css">
<script src="/static/django_htmx/htmx-2.min.js" defer></script><script src="/static/code/code.js" defer></script></head>
<body><main><h1>Panes</h1><section class="panel" data-code-group data-counterparts='[["touching", "_los"]]'>
<div class="split"><div>{% code_pane source %}</div><div>{% code_pane lean %}</div></div>
<footer><span data-code-pointing></span>{% character_findings lean.findings %}</footer></section>
{% diff unified %}{% diff split %}</main></body></html>"""


def _lean_annotations() -> Annotations:
    return Annotations(
        link=lambda lines, within: f"/window?{window_query(lines, within)}",
        names=[(1, "before"), (12, "after8")],
        notes={11: '<div class="thread"><p>A remark on line 11</p></div>'},
    )


def _lean_pane() -> Pane:
    code = highlight(LEAN, "lean")
    return build_pane(
        code,
        key="lean",
        label="Lean",
        focus=[LineRange(7, 11)],
        annotations=_lean_annotations(),
    )


def _page(theme: str) -> str:
    old, new = "def f := 1\nlet  x := 1\n", "def f := 2\nlet x := 1"
    options: dict[str, Any] = {
        "old": highlight(old, "lean"),
        "new": highlight(new, "lean"),
    }
    changes = show(compare(old, new))
    source = build_pane(
        highlight(PYTHON, "python"),
        key="src",
        label="Source",
        annotations=Annotations(raw=lambda n: "/raw"),
    )
    context = {
        "theme": theme,
        "source": source,
        "lean": _lean_pane(),
        "unified": view_diff(changes, label="One column", **options),
        "split": view_diff(changes, label="Two columns", mode="split", **options),
    }
    return Template(PAGE).render(Context(context))


def _fragment(query: dict[str, str]) -> str:
    window = read_window(query)
    assert window
    code = highlight(LEAN, "lean")
    pane = build_fragment(
        code, *window, key="lean", label="Lean", annotations=_lean_annotations()
    )
    return Template("{% load code %}{% code_fragment pane %}").render(
        Context({"pane": pane})
    )


def _answer(route: Route, theme: str) -> None:
    path, _, query = route.request.url.removeprefix(ADDRESS).partition("?")
    if path.startswith("/static/"):
        found = finders.find(path.removeprefix("/static/"))
        assert isinstance(found, str), path
        route.fulfill(path=Path(found))
    elif path == "/window":
        values = dict(part.split("=") for part in query.split("&"))
        route.fulfill(body=_fragment(values), content_type="text/html")
    else:
        headers = {
            "content-security-policy": POLICY,
            "content-type": "text/html; charset=utf-8",
        }
        route.fulfill(body=_page(theme), headers=headers)


@pytest.fixture
def open_page(browser: Browser) -> Iterator[Callable[[str], Page]]:
    """Return a function that opens the page in a theme. Errors of the page fail the test."""
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    context.set_default_timeout(15_000)
    errors: list[str] = []

    def go(theme: str = "light") -> Page:
        page = context.new_page()
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.on(
            "console",
            lambda message: (
                errors.append(message.text) if message.type == "error" else None
            ),
        )
        page.route(f"{ADDRESS}/**", lambda route: _answer(route, theme))
        page.goto(f"{ADDRESS}/")
        return page

    yield go
    context.close()
    assert not errors


@pytest.fixture
def page(open_page: Callable[[str], Page]) -> Page:
    return open_page("light")


def linked(page: Page) -> set[str]:
    return set(page.locator(".linked").all_text_contents())


def copied(page: Page, start: str, end: str) -> str:
    """Return what copying gives when everything from the element `start` to the end of `end` is selected."""
    return str(
        page.evaluate(
            """([start, end]) => {
              const range = document.createRange();
              range.setStartBefore(document.querySelector(start));
              range.setEndAfter(document.querySelector(end));
              const selection = getSelection();
              selection.removeAllRanges();
              selection.addRange(range);
              let text = null;
              document.addEventListener("copy", (event) => { text = event.clipboardData.getData("text/plain"); }, { once: true });
              document.execCommand("copy");
              return text;
            }""",
            [start, end],
        )
    )


class TestNames:
    def test_pointing_marks_the_same_name_in_the_other_language(
        self, page: Page
    ) -> None:
        page.locator("#lean-7 [data-name=fromPairs]").hover()
        assert linked(page) == {"fromPairs", "from_pairs"}
        expect(page.locator(".pointed")).to_have_text("fromPairs")
        expect(page.locator("[data-code-pointing]")).to_have_text(
            "Pointing at fromPairs · counterpart from_pairs"
        )

    def test_pointing_marks_the_counterparts_that_the_page_names(
        self, page: Page
    ) -> None:
        page.locator("#src-4 [data-name=_los]").hover()
        assert linked(page) == {"touching", "_los"}
        page.locator("h1").hover()
        assert linked(page) == set()

    def test_the_keyboard_walks_from_name_to_name_and_back_out(
        self, page: Page
    ) -> None:
        region = page.get_by_role("region", name="Lean, lines 7–13")
        region.focus()
        page.keyboard.press("Enter")
        expect(page.locator(":focus")).to_have_text("fromPairs")
        assert linked(page) == {"fromPairs", "from_pairs"}
        page.keyboard.press("ArrowRight")
        expect(page.locator(":focus")).to_have_text("pairs")
        page.keyboard.press("ArrowDown")
        expect(page.locator("#lean-8 :focus")).to_have_count(1)
        page.keyboard.press("ArrowUp")
        expect(page.locator("#lean-7 :focus")).to_have_count(1)
        page.keyboard.press("Escape")
        expect(region).to_be_focused()
        assert linked(page) == set()

    def test_names_are_no_tab_stops(self, page: Page) -> None:
        page.get_by_role("region", name="Lean, lines 7–13").focus()
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.matches('[data-name]')") is False


class TestCopy:
    def test_it_takes_code_and_neither_numbers_nor_remarks(self, page: Page) -> None:
        assert (
            copied(page, "#lean-7", "#lean-11")
            == "\n".join(LEAN.split("\n")[6:11]) + "\n"
        )

    def test_a_part_of_a_line_is_that_part(self, page: Page) -> None:
        assert (
            copied(page, "#lean-7 [data-name=fromPairs]", "#lean-7 [data-name=pairs]")
            == "fromPairs (pairs"
        )


class TestFolds:
    def test_opening_one_puts_its_lines_in_place_and_the_focus_on_them(
        self, page: Page
    ) -> None:
        page.get_by_text("show 6 lines").click()
        expect(page.locator("#lean-1")).to_be_visible()
        expect(page.get_by_role("region", name="Lean, lines 1–6")).to_be_focused()

    def test_a_large_one_opens_from_its_end_and_keeps_the_rest(
        self, page: Page
    ) -> None:
        page.get_by_text("show last 200 of").click()
        expect(page.locator("#lean-403")).to_be_visible()
        expect(page.locator("#lean-203")).to_have_count(0)
        expect(page.get_by_text("show 190 lines")).to_have_count(1)


def test_a_bidirectional_control_cannot_reorder_its_line(page: Page) -> None:
    names = page.locator("#lean-10 [data-name]").evaluate_all(
        "all => all.map((one) => one.getBoundingClientRect().left)"
    )
    assert names == sorted(names)
    assert len(set(names)) == len(names)


def test_a_hidden_character_can_be_seen_and_heard(page: Page) -> None:
    mark = page.get_by_role("img", name="U+202E RIGHT-TO-LEFT OVERRIDE")
    box = mark.bounding_box()
    assert box
    assert box["width"] > 10


@pytest.mark.parametrize("theme", THEMES)
def test_nothing_is_inaccessible(theme: str, open_page: Callable[[str], Page]) -> None:
    page = open_page(theme)
    page.locator("summary").first.click()
    page.locator("#lean-7 [data-name=fromPairs]").hover()
    found = (
        Axe()
        .run(page, options={"runOnly": ALL_RULES, **ONLY_WHAT_IS_WRONG})
        .response["violations"]
    )
    assert [(rule["id"], rule["nodes"][0]["target"]) for rule in found] == []
