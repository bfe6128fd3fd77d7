"""The review page in a browser: two people at once, the editor, panes, and all of it without a mouse or a script."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.site import RunningSite
from tests.browser.visitor import Visitor

Visit = Callable[..., Visitor]
FIXTURE = "tests.browser.seeds:import_fixture"
ADD, MERGED = "Ivalset.add", "Ivalset.insertMerged"


def said(page: Page) -> str:
    return page.locator("[data-announce]").inner_text()


def press_to_leave(page: Page, key: str) -> None:
    """Press a key that leads to another page, and wait until its scripts listen."""
    with page.expect_navigation(wait_until="load"):
        page.keyboard.press(key)


@pytest.mark.sqlite_too
def test_two_people_see_each_other_and_nobody_loses_a_word(
    visit: Visit, site: RunningSite
) -> None:
    address = site.seed(FIXTURE, benchmark_id="two-people")[ADD]
    mira, noor = visit("curator"), visit("maintainer")
    one, two = mira.page, noor.page
    mira.go(address)
    noor.go(address)
    two.locator("#lean-91").click(position={"x": 20, "y": 10})
    two.keyboard.type("Is `hi ≤ lo` what the source says? @mira")
    two.keyboard.press("Control+Enter")
    thread = one.locator(".thread[id^=thread-]:not(form)")
    expect(thread).to_contain_text("what the source says")
    expect(one.locator("[data-announce]")).to_contain_text("noor on line 91")
    expect(one.get_by_role("link", name=re.compile("Inbox \\d"))).to_be_visible()
    thread.get_by_text("Reply", exact=True).click()
    one.keyboard.type("half a reply, with a and r in it")
    before = one.evaluate("scrollY")
    press_to_leave(two, "a")
    expect(one.locator("#review-state")).to_contain_text("by noor")
    noor.go(f"{address}?view=edit")
    text = two.get_by_label("Lean text of")
    text.fill(text.input_value().replace("hi ≤ lo", "lo ≥ hi"))
    two.get_by_role("button", name="Save as v2").click()
    expect(one.locator("#review-news")).to_contain_text("v2 is here, by noor.")
    expect(one.locator("#lean-91")).to_contain_text("hi ≤ lo")
    reply = thread.get_by_role("textbox")
    expect(reply).to_have_value("half a reply, with a and r in it")
    expect(reply).to_be_focused()
    assert one.evaluate("scrollY") == before
    one.keyboard.press("Control+Enter")
    expect(thread).to_contain_text("half a reply")
    one.locator("h1").first.click()
    press_to_leave(one, "!")
    expect(one.locator(".ln.del del").first).to_contain_text("≤")
    mira.go(address)
    expect(one.get_by_role("link", name="Since my last look")).to_have_attribute(
        "aria-current", "page"
    )
    expect(one.locator("#comments")).to_contain_text("was on v1, line 91")
    noor.go("/inbox/")
    expect(two.locator("#inbox")).to_contain_text("half a reply")
    mira.demand_accessible()
    noor.demand_accessible()


def test_the_editor_knows_lean_and_keeps_what_is_written(
    visit: Visit, site: RunningSite
) -> None:
    address = site.seed(FIXTURE, benchmark_id="editor")[ADD]
    mira = visit("curator")
    page = mira.page
    mira.go(address)
    press_to_leave(page, "e")
    text = page.get_by_label("Lean text of")
    expect(text).to_be_focused()  # else what one types would be keys: "and" approves
    page.keyboard.press("Control+End")
    page.keyboard.press("Enter")
    page.keyboard.type("-- \\forall x, \\al")
    expect(page.locator("[data-editor-hint]")).to_contain_text("→")
    page.keyboard.press("Tab")
    page.keyboard.type(" \\to \\lambda")
    page.keyboard.press("Enter")
    page.keyboard.type("(")
    expect(page.locator(".under mark.alone")).to_have_count(1)
    page.keyboard.type("⟨1⟩)")
    expect(page.locator(".under mark")).to_have_text(["(", ")"])
    assert text.input_value().endswith("\n    -- ∀ x, ∀ → λ\n    (⟨1⟩)")
    page.keyboard.press("Shift+Tab")
    assert text.input_value().endswith("\n  (⟨1⟩)")
    page.keyboard.press("Control+z")
    assert text.input_value().endswith("\n    (⟨1⟩)")
    expect(page.locator("[data-draft]")).to_contain_text("draft kept")
    typed = text.input_value()
    other = visit("curator")
    other.go(f"{address}?view=edit")
    expect(other.page.get_by_label("Lean text of")).to_have_value(typed)
    other.demand_accessible()
    site.seed("tests.browser.seeds:end_sessions", name=site.accounts["curator"][0])
    page.keyboard.press("End")
    page.keyboard.type(" -- late")
    expect(page.locator("[data-draft]")).to_contain_text("you are logged out")
    expect(text).to_have_value(f"{typed} -- late")
    mira.log_in("curator")
    mira.go(f"{address}?view=edit")
    page.locator(".editing").get_by_role("button", name="Take it").click()
    expect(page.get_by_label("Lean text of")).to_have_value(f"{typed} -- late")
    mira.errors.clear()  # the browser logs the answer 401 as an error


def test_no_letter_decides_beside_text_that_nobody_has_yet(
    visit: Visit, site: RunningSite
) -> None:
    addresses = site.seed(FIXTURE, benchmark_id="stray-keys")
    tomas = visit("curator")
    page = tomas.page
    tomas.go(f"{addresses[ADD]}?view=edit")
    expect(
        page.locator("[data-decision] kbd", has_text=re.compile("[ars]"))
    ).to_have_count(0)
    page.get_by_label("Lean text of").press("Escape")
    page.keyboard.type("arsv")
    expect(page.locator("#review-state")).to_contain_text("to review")
    expect(page.locator("[data-decision] details[open]")).to_have_count(0)
    expect(page.locator("#tick button")).to_have_attribute("aria-pressed", "false")
    tomas.go(addresses[MERGED])
    page.keyboard.press("c")
    page.keyboard.type("Half a comm")
    page.keyboard.press("Escape")
    page.keyboard.press("a")
    expect(page.locator("[data-problems]")).to_contain_text("text that you have not")
    expect(page.locator("#review-state")).to_contain_text("to review")
    page.get_by_label("Comment (Markdown").press("Control+Enter")
    expect(page.locator(".thread[id^=thread-]:not(form)")).to_contain_text("Half a")
    page.locator("h1").first.click()
    press_to_leave(page, "a")
    tomas.go(addresses[MERGED])
    expect(page.locator("#review-state")).to_contain_text("approved")


def test_panes_are_ones_own(visit: Visit, site: RunningSite) -> None:
    addresses = site.seed(FIXTURE, benchmark_id="panes")
    rhea = visit("reader", width=1024)
    page = rhea.page
    rhea.go(addresses[ADD])
    lean = page.locator("[data-code-pane=lean]")
    fold = lean.locator("a.fold").first
    words = fold.inner_text()
    fold.click()
    expect(page.get_by_text("structure IntervalSet")).to_be_visible()
    lean.get_by_role("button", name="hide these lines").click()
    expect(page.get_by_text("structure IntervalSet")).to_have_count(0)
    assert lean.locator("a.fold").first.inner_text() == words
    expect(lean.locator("a.fold").first).to_be_focused()
    page.get_by_role("separator", name="Width of the panes").focus()
    page.keyboard.press("ArrowLeft")
    expect(page.get_by_role("separator")).to_have_attribute("aria-valuenow", "48")
    page.locator("h1").first.click()
    page.keyboard.press("w")
    expect(page.get_by_role("button", name="Wrap")).to_have_attribute(
        "aria-pressed", "true"
    )
    page.reload()
    expect(page.get_by_role("separator")).to_have_attribute("aria-valuenow", "48")
    expect(page.locator(".sides.wrapped")).to_have_count(1)
    assert rhea.overflow() == 0
    lean.locator("a[data-name=insertMerged]").first.click()
    expect(page).to_have_url(site.url(addresses[MERGED]))


def test_a_round_by_keyboard_alone(visit: Visit, site: RunningSite) -> None:
    address = site.seed(FIXTURE, benchmark_id="by-key")[MERGED]
    mira = visit("curator")
    page = mira.page
    mira.go(f"{address}?kind=helper")
    page.keyboard.press("c")
    page.keyboard.type("Which order?")
    page.keyboard.press("Control+Enter")
    expect(page.locator(".thread[id^=thread-]:not(form)")).to_contain_text("Which")
    page.keyboard.press("v")
    expect(page.locator("#tick button")).to_have_attribute("aria-pressed", "true")
    along = page.get_by_label(re.compile("line 70: Which order"))
    page.keyboard.press("r")
    expect(along).to_be_checked()
    expect(page.get_by_label("Reason")).to_be_focused()
    page.keyboard.press("Tab")
    page.keyboard.type("Say which order, and skip nothing.")
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    press_to_leave(page, "Enter")
    mira.go(address)
    expect(page.locator("#request-open")).to_contain_text("Say which order")
    press_to_leave(page, "e")
    expect(page.locator(".editing")).to_contain_text("Say which order")


def test_a_key_that_was_moved_presses_what_it_says(
    visit: Visit, site: RunningSite
) -> None:
    address = site.seed(FIXTURE, benchmark_id="moved-key")[ADD]
    tomas = visit("reviewer")
    page = tomas.page
    tomas.go("/preferences/keys/")
    field = page.get_by_label("Key: mark as read")
    field.fill("a")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("is already “approve what is shown”")).to_be_visible()
    tomas.demand_accessible()
    field.fill("m")
    page.get_by_role("button", name="Save").click()
    tomas.go(address)
    expect(page.locator("#tick kbd")).to_have_text("m")
    page.keyboard.press("v")
    page.keyboard.press("m")
    expect(page.locator("#tick button")).to_have_attribute("aria-pressed", "true")
    expect(page.locator("#tick kbd")).to_have_text("m")


def test_everything_that_decides_works_without_a_script(
    browser: Browser, site: RunningSite
) -> None:
    address = site.seed(FIXTURE, benchmark_id="no-script")[ADD]
    window = browser.new_context(base_url=site.address, java_script_enabled=False)
    page = window.new_page()
    name, password = site.accounts["curator"]
    page.goto(f"/login/?next={address}")
    page.get_by_label("Name").fill(name)
    page.get_by_label("Password").fill(password)
    page.get_by_role("button", name="Log in").click()
    page.get_by_role("link", name="Comment").click()
    page.get_by_label("First line").fill("91")
    page.get_by_label("Last line").fill("92")
    page.get_by_label("Comment (Markdown").fill("Two lines.")
    page.get_by_role("button", name="Say it").click()
    expect(page.locator(".thread")).to_contain_text("Lines 91–92")
    page.get_by_role("button", name="Resolve").click()
    expect(page.locator(".thread")).to_contain_text("resolved")
    page.get_by_role("button", name="mark as read").click()
    expect(page.locator("#tick")).to_contain_text("read")
    page.get_by_role("link", name="Edit", exact=True).last.click()
    text = page.get_by_label("Lean text of")
    text.fill(text.input_value().replace("hi ≤ lo", "lo ≥ hi"))
    page.get_by_role("button", name="Save as v2").click()
    expect(page.locator("body")).to_contain_text("Version 2 of Ivalset.add is saved.")
    page.goto(address)
    page.locator(".decision summary", has_text="Skip").click()
    page.get_by_label("Why you cannot decide").fill("I wrote it.")
    page.get_by_role("button", name="Skip, leave it to others").click()
    expect(page.locator("body")).to_contain_text("is skipped")
    window.close()
