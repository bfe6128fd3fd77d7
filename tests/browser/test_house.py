"""The pages of the house: accessible and fitting, in both themes; what happens after a partial update; no script at all."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.site import RunningSite
from tests.browser.visitor import Visitor

Visit = Callable[..., Visitor]
PAGES = (
    "/search/?q=add", "/search/?q=zzzz", "/preferences/", "/operations/", "/events/", "/events/?verb=never.was",
    "/events/?since=yesterday", "/people/", "/people/teams/demo/", "/keys/", "/nowhere/",
)  # fmt: skip


@pytest.mark.parametrize("path", PAGES)
def test_every_page_is_accessible_and_no_wider_than_its_window(
    visit: Visit, path: str
) -> None:
    person = visit("admin", width=1024)
    person.go(path)
    assert person.overflow() == 0
    person.demand_accessible()


def test_the_open_menus_and_the_key_map_are_accessible(visit: Visit) -> None:
    person = visit("admin")
    person.go("/events/")
    person.page.get_by_text("Theme", exact=True).click()
    person.demand_accessible()
    person.page.keyboard.press("Escape")
    person.page.keyboard.press("?")
    expect(person.page.get_by_role("dialog", name="Keys")).to_be_visible()
    person.demand_accessible()


def test_the_theme_changes_at_once_and_stays(visit: Visit) -> None:
    person = visit("reader")
    person.go("/events/")
    person.page.get_by_text("Theme", exact=True).click()
    with person.page.expect_response("**/preferences/theme/"):
        person.page.get_by_role("button", name="Dark").click()
    background = "getComputedStyle(document.body).backgroundColor"
    dark = person.page.evaluate(background)
    person.go("/")
    assert person.page.evaluate(background) == dark == "rgb(14, 17, 20)"
    person.page.get_by_text("Theme", exact=True).click()
    with person.page.expect_response("**/preferences/theme/"):
        person.page.get_by_role("button", name="Like the system").click()
    assert person.page.evaluate(background) != dark


def test_after_a_partial_update_the_focus_is_somewhere_and_the_result_is_told(
    visit: Visit,
) -> None:
    person = visit("admin")
    page = person.page
    person.go("/people/teams/demo/")
    name, _ = person.site.accounts["reader"]
    page.locator("footer [name=person]").fill(name)
    page.locator("footer [name=role]").select_option("adjudicator")
    page.get_by_role("button", name="Give the role").click()
    told = page.locator("[data-announce]")
    expect(told).to_have_text(f"{name} is adjudicator in Demo team now.")
    assert page.evaluate("document.activeElement !== document.body")
    row = page.locator("tr", has=page.locator(f"th:text-is('{name}')"))
    row.locator("summary").click()
    row.get_by_role("button", name="Take adjudicator").click()
    expect(told).to_have_text(f"{name} is no longer adjudicator in Demo team.")
    expect(row.locator("summary")).to_be_focused()


def test_a_lost_session_costs_no_text(visit: Visit) -> None:
    person = visit("admin")
    page = person.page
    person.go("/people/teams/demo/")
    field = page.locator("footer [name=person]")
    field.fill("somebody whom I looked up for a long time")
    cookies = [
        cookie for cookie in person.context.cookies() if cookie["name"] != "sessionid"
    ]
    person.context.clear_cookies()
    person.context.add_cookies(cookies)  # type: ignore[arg-type]  # Playwright's own cookies, one left out
    page.get_by_role("button", name="Give the role").click()
    expect(page.locator("[data-problems]")).to_contain_text("Your session has ended")
    expect(page.locator("[data-announce]")).to_contain_text("You are logged out")
    expect(field).to_have_value("somebody whom I looked up for a long time")
    with person.context.expect_page() as opened:
        page.get_by_role("link", name="Log in in a new tab").click()
    other = opened.value
    other.get_by_label("Name").fill(person.site.accounts["admin"][0])
    other.get_by_label("Password").fill(person.site.accounts["admin"][1])
    other.get_by_role("button", name="Log in").click()
    expect(other.get_by_role("heading", level=1)).to_be_visible()
    page.get_by_role(
        "button", name="Give the role"
    ).click()  # the page's token is older than the log-in
    expect(page.locator("[data-problems]")).to_contain_text("Please send it once more")
    page.get_by_role("button", name="Give the role").click()
    expect(page.locator("#members")).to_contain_text("There is no account")
    expect(field).to_have_value("somebody whom I looked up for a long time")


def test_everything_that_decides_works_without_a_script(
    browser: Browser, site: RunningSite
) -> None:
    window = browser.new_context(base_url=site.address, java_script_enabled=False)
    page = window.new_page()
    name, password = site.accounts["admin"]
    page.goto("/login/?next=/people/teams/demo/")
    page.get_by_label("Name").fill(name)
    page.get_by_label("Password").fill(password)
    page.get_by_role("button", name="Log in").click()
    page.goto("/people/teams/demo/")
    person, _ = site.accounts["submitter"]
    page.locator("footer [name=person]").fill(person)
    page.locator("footer [name=role]").select_option("reviewer")
    page.get_by_role("button", name="Give the role").click()
    expect(page.get_by_text(f"{person} is reviewer in Demo team now.")).to_be_visible()
    row = page.locator("tr", has=page.locator(f"th:text-is('{person}')"))
    row.locator("summary").click()
    row.get_by_role("button", name="Take reviewer").click()
    expect(
        page.get_by_text(f"{person} is no longer reviewer in Demo team.")
    ).to_be_visible()
    page.get_by_text("Theme", exact=True).click()
    page.get_by_role("button", name="Dark").click()
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    page.get_by_text("Theme", exact=True).click()
    page.get_by_role("button", name="Like the system").click()
    page.locator(".topbar summary", has_text=name).click()
    page.get_by_role("button", name="Log out").click()
    expect(page.get_by_text("You are logged out.")).to_be_visible()
    window.close()
