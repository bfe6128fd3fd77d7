"""The pages of an instance: accessible in both themes, and no wider than a window of 1024 pixels."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from tests.browser.visitor import Visitor

Visit = Callable[..., Visitor]
PAGES = (
    "/instances/", "/instances/?q=nothing-of-that-name", "/instances/import/", "/instances/explain/",
    "/instances/explain/slot-unlisted/", "/instances/ivalset/", "/instances/ivalset/definitions/",
    "/instances/ivalset/definitions/?kind=api&q=zzzz", "/instances/ivalset/specs/", "/instances/ivalset/source/",
    "/instances/ivalset/findings/", "/instances/ivalset/files/", "/instances/ivalset/files/Ivalset/Impl/Core.lean",
    "/instances/ivalset/history/", "/instances/ivalset/revisions/2/", "/jobs/", "/jobs/999999/",
)  # fmt: skip


@pytest.mark.parametrize("path", PAGES)
def test_every_page_is_accessible_and_no_wider_than_its_window(
    visit: Visit, path: str
) -> None:
    person = visit("maintainer", width=1024)
    person.go(path)
    assert person.overflow() == 0
    person.demand_accessible()


@pytest.mark.parametrize("name", ["ivalset", "ringbuf"])
def test_a_definition_beside_its_source_is_accessible_and_fits(
    visit: Visit, name: str
) -> None:
    person = visit("curator", width=1024)
    person.go(f"/instances/{name}/definitions/?kind=api")
    person.page.locator("main tbody a[href*='/definitions/']").first.click()
    expect(
        person.page.get_by_role("heading", name="Link to the source")
    ).to_be_visible()
    assert person.overflow() == 0
    person.demand_accessible()
