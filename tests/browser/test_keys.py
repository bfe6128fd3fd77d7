"""The keyboard: the whole way without a mouse, and silence where keys are not meant."""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import Page, expect

from tests.browser.visitor import Visitor

Visit = Callable[..., Visitor]
SELECTED = (
    "table[data-rows] tr[aria-selected=true], tbody[data-rows] tr[aria-selected=true]"
)


def focused(page: Page, question: str) -> object:
    return page.evaluate(f"document.activeElement.{question}")


def test_a_list_is_walked_and_opened_by_key(visit: Visit) -> None:
    page = open_list(visit)
    page.keyboard.press("j")
    expect(page.locator(SELECTED)).to_have_count(1)
    first = focused(page, "textContent")
    page.keyboard.press("j")
    assert focused(page, "textContent") != first
    page.keyboard.press("k")
    assert focused(page, "textContent") == first
    href = focused(page, "href")
    page.keyboard.press("o")
    expect(page).to_have_url(str(href))


def open_list(visit: Visit) -> Page:
    person = visit("curator")
    person.go("/instances/")
    return person.page


def test_g_and_a_letter_go_somewhere(visit: Visit) -> None:
    person = visit("reader")
    person.go("/")
    for letter, path in (
        ("e", "/events/"),
        ("o", "/operations/"),
        ("p", "/preferences/"),
        ("h", "/"),
    ):
        person.page.keyboard.press("g")
        person.page.keyboard.press(letter)
        expect(person.page).to_have_url(person.site.url(path))


def test_the_question_mark_shows_the_keys_and_escape_gives_the_focus_back(
    visit: Visit,
) -> None:
    page = open_list(visit)
    page.keyboard.press("j")
    before = focused(page, "textContent")
    page.keyboard.press("?")
    dialog = page.get_by_role("dialog", name="Keys")
    expect(dialog).to_be_visible()
    expect(dialog.get_by_text("next row")).to_be_visible()
    page.keyboard.press("j")  # no key acts behind the dialog
    for _ in range(5):
        page.keyboard.press("Tab")
        assert page.evaluate(
            "document.activeElement === document.body || !!document.activeElement.closest('dialog')"
        )
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    assert focused(page, "textContent") == before


def test_the_slash_goes_to_search_and_letters_there_are_letters(visit: Visit) -> None:
    page = open_list(visit)
    page.keyboard.press("/")
    field = page.get_by_role("searchbox", name="Search", exact=True)
    expect(field).to_be_focused()
    page.keyboard.type("jk?gh.x")
    expect(field).to_have_value("jk?gh.x")
    expect(page.locator(SELECTED)).to_have_count(0)
    page.keyboard.press("Escape")
    expect(field).not_to_be_focused()


def test_keys_with_modifiers_belong_to_the_browser(visit: Visit) -> None:
    page = open_list(visit)
    for keys in ("Control+j", "Alt+j", "Meta+j"):
        page.keyboard.press(keys)
    expect(page.locator(SELECTED)).to_have_count(0)


def test_keys_are_silent_while_an_input_method_composes(visit: Visit) -> None:
    page = open_list(visit)
    page.evaluate(
        "document.body.dispatchEvent(new KeyboardEvent('keydown', {key: 'j', bubbles: true, isComposing: true}))"
    )
    page.evaluate(
        "document.body.dispatchEvent(new KeyboardEvent('keydown', {key: 'j', bubbles: true, keyCode: 229}))"
    )
    expect(page.locator(SELECTED)).to_have_count(0)
    page.evaluate(
        "document.body.dispatchEvent(new KeyboardEvent('keydown', {key: 'j', bubbles: true}))"
    )
    expect(page.locator(SELECTED)).to_have_count(1)


def test_single_keys_can_be_switched_off(visit: Visit) -> None:
    person = visit("submitter")
    person.go("/preferences/")
    person.page.get_by_label("Single-letter keys").uncheck()
    person.page.get_by_role("button", name="Save").click()
    expect(person.page.get_by_text("Your preferences are saved.")).to_be_visible()
    person.go("/instances/")
    person.page.keyboard.press("j")
    person.page.keyboard.press("?")
    expect(person.page.locator(SELECTED)).to_have_count(0)
    expect(person.page.get_by_role("dialog")).to_have_count(0)
    person.page.locator("[data-keys-open]").click()
    expect(person.page.get_by_text("single keys are switched off")).to_be_visible()
    person.go("/preferences/")
    person.page.get_by_label("Single-letter keys").check()
    person.page.get_by_role("button", name="Save").click()
    expect(person.page.get_by_text("Your preferences are saved.")).to_be_visible()
