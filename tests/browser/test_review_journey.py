"""The whole of the review loop by two people in two browsers, as the day of a curator goes."""

from __future__ import annotations

import re
from collections.abc import Callable

from playwright.sync_api import Locator, Page, expect

from tests.browser.site import RunningSite
from tests.browser.visitor import Visitor

Visit = Callable[..., Visitor]
FIXTURE = "tests.browser.seeds:import_fixture"
ADD, MERGED = "Ivalset.add", "Ivalset.insertMerged"
# Live rows follow an event within a second or two; on a busy machine later.
PATIENCE_MS = 20_000


def leave_by(page: Page, key: str) -> None:
    """Press a key that leads to another page, and wait until its scripts listen."""
    with page.expect_navigation(wait_until="load"):
        page.keyboard.press(key)


def begin_comment(page: Page, words: str) -> Locator:
    """Begin a comment that is not sent; return its field."""
    page.keyboard.press("c")
    field = page.get_by_label("Comment (Markdown")
    expect(field).to_be_focused()
    page.keyboard.type(words)
    return field


def save(page: Page, before: str, after: str, button: str) -> None:
    """Replace `before` in the editor's text, and save it."""
    text = page.get_by_label("Lean text of")
    kept = text.input_value()
    assert before in kept
    text.fill(kept.replace(before, after))
    with page.expect_navigation(wait_until="load"):
        page.get_by_role("button", name=button).click()


def test_a_round_from_the_queue_to_the_history(visit: Visit, site: RunningSite) -> None:
    addresses = site.seed(FIXTURE, benchmark_id="whole-round")
    tomas, mira = visit("reviewer"), visit("curator")
    reviewer, translator = tomas.page, mira.page

    # From the queue, by one key, to something that is leased.
    tomas.go("/review/?instance=whole-round&kind=api")
    leave_by(reviewer, "n")
    expect(reviewer.locator("#review-state")).to_be_visible()
    expect(reviewer.locator("body")).to_contain_text("yours until")

    # Sent back by keyboard; who translates sees it while they type, and keeps what they typed.
    mira.go(addresses[ADD])
    half = begin_comment(translator, "Half a thought of mira, a and r")
    tomas.go(addresses[ADD])
    reviewer.keyboard.press("r")
    reviewer.keyboard.press("Tab")
    reviewer.keyboard.type("Write the comparison as the source has it.")
    with reviewer.expect_navigation(wait_until="load"):
        reviewer.get_by_role("button", name=re.compile("^Send back")).press("Enter")
    expect(translator.locator("#review-state")).to_contain_text(
        "sent back", timeout=PATIENCE_MS
    )
    expect(half).to_have_value("Half a thought of mira, a and r")
    expect(half).to_be_focused()
    mira.go(addresses[ADD])
    expect(translator.locator("#request-open")).to_contain_text("as the source has it")
    leave_by(translator, "e")
    save(translator, "hi ≤ lo", "lo ≥ hi", "Save as v2")

    # Only the change is shown first, and is approved.
    tomas.go(addresses[ADD])
    since = reviewer.get_by_role("link", name="Since my last look")
    expect(since).to_have_attribute("aria-current", "page")
    expect(reviewer.locator(".ln.del del").first).to_contain_text("≤")
    expect(reviewer.locator("main")).to_contain_text("as the source has it")
    leave_by(reviewer, "a")
    tomas.go(addresses[ADD])
    expect(reviewer.locator("#review-state")).to_contain_text("approved")

    # A helper changes: the approval falls with its path, without a reload and without a lost word.
    half = begin_comment(reviewer, "Half a thought of tomas")
    mira.go(f"{addresses[MERGED]}?view=edit")
    save(translator, "iv.hi < new.lo", "iv.hi ≤ new.lo", "Save as v2")
    expect(reviewer.locator("#review-state")).to_contain_text(
        "dropped", timeout=PATIENCE_MS
    )
    expect(half).to_have_value("Half a thought of tomas")
    expect(half).to_be_focused()
    tomas.go(addresses[ADD])
    expect(reviewer.locator("main")).to_contain_text("insertMerged")
    expect(reviewer.locator("main")).to_contain_text("dropped")

    # Approved again in bulk after a preview, and taken back as one act.
    tomas.go("/review/?instance=whole-round&dropped=yes")
    for key in "jx.":
        reviewer.keyboard.press(key)
    reviewer.get_by_role("button", name="Approve…").press("Enter")
    expect(reviewer.locator("h1")).to_have_text("Approve 1 definition")
    expect(reviewer.locator("main")).to_contain_text("add")
    leave_by(reviewer, ".")
    expect(reviewer.locator("main")).to_contain_text("1 definition approved")
    reviewer.keyboard.press("z")
    reviewer.keyboard.type("I want to read it first")
    leave_by(reviewer, "Enter")
    expect(reviewer.locator("main")).to_contain_text(
        "Undone: Ivalset.add, the approval is taken back."
    )

    # The history tells all of it.
    tomas.go("/instances/whole-round/history/")
    acts = reviewer.locator("#history-acts")
    for words in (
        "sent version 1 of Ivalset.add back",
        "wrote version 2 of Ivalset.add",
        "approved version 2 of Ivalset.add",
        "wrote version 2 of Ivalset.insertMerged",
        "I want to read it first",
    ):
        expect(acts).to_contain_text(words)
    tomas.demand_accessible()
