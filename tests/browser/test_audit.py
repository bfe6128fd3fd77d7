"""From the audit queue to a ruling, in a browser."""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import expect

from tests.browser.visitor import WIDTHS, Visitor


def demand(somebody: Visitor) -> None:
    """Fail unless the present page is accessible in both themes and fits both widths."""
    for width in WIDTHS:
        somebody.show(width=width, theme="light")
        assert somebody.overflow() == 0, f"{somebody.page.url} at {width} px"
    somebody.demand_accessible()


def test_a_finding_is_opened_from_the_queue_and_ruled_on(
    visit: Callable[..., Visitor],
) -> None:
    ada = visit("maintainer")
    address = ada.site.seed("tests.browser.audit_seeds:refute", slug="ivalset")
    ada.go("/audit/?instance=ivalset")
    demand(ada)
    ada.picture("audit-queue")
    page = ada.page
    page.locator(f'#findings a[href="{address}"]').first.click()
    expect(page.get_by_role("heading", name="Closures")).to_be_visible()
    demand(ada)
    ada.picture("audit-finding")
    page.get_by_label("Vacuous spec").check()
    page.get_by_label("Severity").select_option("low")
    page.get_by_label("Rationale").fill("It holds of nothing.")
    page.get_by_role("button", name="Rule", exact=True).click()
    expect(page.locator("#rulings")).to_contain_text("It holds of nothing.")
    expect(page.locator(".pagehead")).to_contain_text("confirmed")
