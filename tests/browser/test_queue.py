"""The queue in two browsers: leases seen without a reload, many approved by keyboard, and all of it undone."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.browser.site import RunningSite
from tests.browser.visitor import Visitor

Visit = Callable[..., Visitor]
FIXTURE = "tests.browser.seeds:import_fixture"
PATIENCE_MS = 30_000


def leave_by(page: Page, key: str) -> None:
    """Press a key that leads to another page, and wait until its scripts listen."""
    with page.expect_navigation(wait_until="load"):
        page.keyboard.press(key)


@pytest.mark.sqlite_too
def test_two_reviewers_share_the_queue(visit: Visit, site: RunningSite) -> None:
    site.seed(FIXTURE, benchmark_id="shared-queue")
    mira, noor = visit("curator"), visit("maintainer")
    one, two = mira.page, noor.page
    for who in (mira, noor):
        who.go("/review/?instance=shared-queue")
    rows = two.locator("#queue-rows tbody tr")
    expect(rows.first).to_contain_text("free")
    two.keyboard.press("j")
    two.keyboard.press("j")
    second = rows.nth(1).locator("a.name").first
    expect(second).to_be_focused()
    two.keyboard.press("x")
    # What one takes, the other sees; their place and their ticks stay.
    leave_by(one, "n")
    first = rows.first.locator("th").inner_text()
    expect(one.locator("h1")).to_have_text(first)
    expect(rows.first).to_contain_text("mira until", timeout=PATIENCE_MS)
    expect(second).to_be_focused()
    expect(rows.nth(1).locator("input")).to_be_checked()
    leave_by(two, "n")
    expect(two.locator("h1")).not_to_have_text(first)
    # Leaving gives it back.
    one.get_by_role("button", name="Give back").click()
    expect(one).to_have_url(re.compile(r"/review/\?instance=shared-queue$"))
    expect(one.locator("#queue-rows tbody tr").first).to_contain_text("free")


def test_many_are_approved_and_all_of_it_undone_by_keyboard(
    visit: Visit, site: RunningSite
) -> None:
    site.seed(FIXTURE, benchmark_id="many-at-once")
    mira, tomas = visit("curator"), visit("reviewer")
    one, two = mira.page, tomas.page
    for who in (mira, tomas):
        who.go("/review/?instance=many-at-once&kind=type")
    whole = int(two.locator("#queue-rows header .count").inner_text())
    for key in "jxjx.":
        one.keyboard.press(key)
    expect(one.locator("#bulk")).to_be_visible()
    one.get_by_role("button", name="Approve…").press("Enter")
    expect(one.locator("h1")).to_have_text("Approve 2 definitions")
    mira.demand_accessible()
    leave_by(one, ".")
    expect(one.locator("main")).to_contain_text("2 definitions approved")
    count = two.locator("#queue-rows header .count")
    expect(count).to_have_text(str(whole - 2), timeout=PATIENCE_MS)
    facet = two.locator("#queue-facets a", has_text="approved")
    expect(facet).to_contain_text("2", timeout=PATIENCE_MS)
    mira.demand_accessible()
    one.keyboard.press("z")
    one.keyboard.type("too fast")
    leave_by(one, "Enter")
    expect(one.locator("main")).to_contain_text("Undone: 2 changes.")
    expect(count).to_have_text(str(whole), timeout=PATIENCE_MS)
    mira.go("/instances/many-at-once/history/")
    expect(one.locator("#history-acts")).to_contain_text("too fast")
    expect(one.locator("#history-acts")).to_contain_text("undid 2 changes")
    mira.demand_accessible()
