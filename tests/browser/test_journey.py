"""The journey of a curator: log in, import, open by keyboard, read beside the source, follow, find in the history."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser import archives
from tests.browser.visitor import Visitor

Visit = Callable[..., Visitor]
NAMES = [f"journey-{number:02}" for number in range(1, 13)]
WATCH = """() => {
  window.said = [];
  const look = () => {
    const state = document.getElementById("job-state");
    if (state) window.said.push(state.innerText.replace(/\\s+/g, " "));
  };
  look();
  new MutationObserver(look).observe(document.body, { childList: true, subtree: true });
}"""


def focused(page: Page) -> Locator:
    return page.locator(":focus")


def walk_to(page: Page, name: str) -> None:
    """Press j until the row called `name` has the focus."""
    for _ in range(80):
        page.keyboard.press("j")
        if focused(page).inner_text() == name:
            return
    raise AssertionError(
        f"j never came to {name}; the focus is on {focused(page).inner_text()}"
    )


def import_in_browser(somebody: Visitor, names: list[str]) -> None:
    """Send the form of the import page; leaves the visitor on the page of the job."""
    page = somebody.page
    somebody.go("/instances/import/")
    instances, sources = archives.many(names)
    page.get_by_label("Archive with instances").set_input_files(instances)
    page.get_by_label("Archive with upstream files").set_input_files(sources)
    page.get_by_role("button", name="Import as a job").click()
    page.wait_for_url(re.compile(r"/jobs/\d+/$"))


@pytest.mark.sqlite_too
def test_from_an_archive_to_the_history_of_a_definition(visit: Visit) -> None:
    noor = visit("maintainer")
    page = noor.page
    other = visit("reviewer")
    other.go("/")
    import_in_browser(noor, NAMES)
    progress_is_live(page)
    expect(other.page.get_by_role("link", name=NAMES[-1], exact=True)).to_be_visible()
    open_by_keyboard(page)
    read_beside_the_source(page)
    switch_theme(page)
    follow_and_find(page)


def progress_is_live(page: Page) -> None:
    page.evaluate(WATCH)
    expect(page.locator("#job-state .pill")).to_have_text("done", timeout=60_000)
    said = page.evaluate("window.said")  # gone if the page had been loaded anew
    counted = [
        words for words in said if re.search(rf"running .*\b\d+ / {len(NAMES)}", words)
    ]
    assert counted, said
    expect(page.locator("#job-lines")).to_contain_text(
        "journey-12 r1: 51 definitions added"
    )
    expect(page.locator("[data-announce]")).to_contain_text(
        f"is done: {len(NAMES)} imported"
    )


def open_by_keyboard(page: Page) -> None:
    page.keyboard.press("g")
    page.keyboard.press("i")
    page.wait_for_url("**/instances/")
    walk_to(page, "journey-03")
    page.keyboard.press("j")
    page.keyboard.press("k")
    page.keyboard.press("o")
    page.wait_for_url("**/instances/journey-03/")
    walk_to(page, "Algebra")
    page.keyboard.press("o")
    page.wait_for_url("**/definitions/?module=Algebra")
    walk_to(page, "Ivalset.ofPairs")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("Ivalset.ofPairs")


def read_beside_the_source(page: Page) -> None:
    source, lean = (
        page.locator("[data-code-pane=src]"),
        page.locator("[data-code-pane=lean]"),
    )
    expect(source.get_by_text("def from_pairs")).to_be_visible()
    expect(lean.get_by_text("def ofPairs")).to_be_visible()
    lean.locator("[data-name=ofPairs]").first.hover()
    expect(source.locator(".linked").first).to_have_text("from_pairs")
    expect(page.locator("[data-code-pointing]")).to_have_text(
        "Pointing at ofPairs · counterpart from_pairs"
    )
    fold = lean.locator("a.fold").filter(has_text="addPairs")
    fold.click()
    expect(lean.get_by_text("def addPairs")).to_be_visible()
    expect(focused(page)).to_have_attribute(
        "aria-label", re.compile(r"Algebra\.lean, lines ")
    )
    fold = source.locator("a.fold").first
    fold.focus()
    page.keyboard.press("Enter")
    expect(source.get_by_text("from ivalset.core import")).to_be_visible()
    expect(focused(page)).to_have_attribute(
        "aria-label", re.compile(r"algebra\.py, lines 1–")
    )


def switch_theme(page: Page) -> None:
    page.get_by_text("Theme", exact=True).click()
    page.get_by_role("button", name="dark").click()
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    expect(page.locator("[data-announce]")).to_have_text("Theme: Dark")
    page.reload()
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")


def follow_and_find(page: Page) -> None:
    heading = page.get_by_role("heading", name="Dependencies")
    uses = page.locator("section.panel", has=heading)
    uses.get_by_role("link", name="addPairs").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Ivalset.addPairs")
    page.get_by_role("link", name="History", exact=True).click()
    expect(
        page.get_by_role("heading", name="Versions of Ivalset.addPairs")
    ).to_be_visible()
    expect(page.get_by_text("v1, current")).to_be_visible()
    page.go_back()
    expect(page.get_by_role("heading", level=1)).to_have_text("Ivalset.addPairs")
    page.go_back()
    expect(page.get_by_role("heading", level=1)).to_have_text("Ivalset.ofPairs")
    page.go_back()
    page.wait_for_url("**/definitions/?module=Algebra")
