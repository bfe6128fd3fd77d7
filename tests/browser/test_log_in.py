"""Somebody arrives, logs in, and is on the first page."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from tests.browser.visitor import Visitor
from workbench.access.roles import ROLES

Visit = Callable[..., Visitor]


def test_a_stranger_is_asked_to_log_in_and_then_brought_to_the_page(
    visit: Visit,
) -> None:
    visit("curator")  # the very first log-in leads to the preferences, for a password
    somebody = visit()
    somebody.go("/instances/")
    expect(somebody.page).to_have_url(somebody.site.url("/login/?next=/instances/"))
    name, password = somebody.site.accounts["curator"]
    somebody.page.get_by_label("Name").fill(name)
    somebody.page.get_by_label("Password").fill(password)
    somebody.page.get_by_role("button", name="Log in").click()
    expect(somebody.page).to_have_url(somebody.site.url("/instances/"))


@pytest.mark.parametrize("role", ROLES)
def test_every_demo_account_gets_in(visit: Visit, role: str) -> None:
    person = visit(role)
    person.go("/")
    expect(person.page.get_by_role("heading", level=1)).to_be_visible()


def test_a_wrong_password_is_told_and_keeps_the_name(visit: Visit) -> None:
    somebody = visit()
    somebody.go("/login/")
    somebody.page.get_by_label("Name").fill("nobody-of-this-name")
    somebody.page.get_by_label("Password").fill("wrong")
    somebody.page.get_by_role("button", name="Log in").click()
    expect(somebody.page.get_by_text("do not belong together")).to_be_visible()
    expect(somebody.page.get_by_label("Name")).to_have_value("nobody-of-this-name")


def test_the_log_in_is_accessible_and_fits(visit: Visit) -> None:
    somebody = visit(width=1024)
    somebody.go("/login/")
    somebody.demand_accessible()
    assert somebody.overflow() == 0
