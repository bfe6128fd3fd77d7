"""The browser, the running site, and what journeys do with them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from tests.browser.site import RunningSite, running_site
from tests.browser.visitor import Visitor
from workbench.setup import chromium

# Playwright keeps an event loop in this thread; Django would refuse the database there.
os.environ.setdefault("DJANGO_ALLOW_ASYNC_UNSAFE", "1")


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningSite]:
    """A running site with the demo, shared by all journeys of the run."""
    with running_site(
        tmp_path_factory.mktemp("site"), os.environ.get("DATABASE_URL", "")
    ) as running:
        yield running


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """The system's Chromium."""
    if obstacle := chromium.obstacle():
        pytest.skip(f"no Chromium: {obstacle}")
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(
            executable_path=chromium.program(), args=chromium.arguments()
        )
        yield running
        running.close()


@pytest.fixture
def context(browser: Browser, site: RunningSite) -> Iterator[BrowserContext]:
    """A browser window without a past, 1440 px wide."""
    opened = browser.new_context(
        base_url=site.address, viewport={"width": 1440, "height": 900}
    )
    opened.set_default_timeout(15_000)
    yield opened
    opened.close()


@pytest.fixture
def page(context: BrowserContext) -> Page:
    """An empty page, logged out. Prefer `visit`, which also watches for errors of the page."""
    return context.new_page()


@pytest.fixture
def visit(
    browser: Browser, site: RunningSite, request: pytest.FixtureRequest
) -> Iterator[Callable[..., Visitor]]:
    """Return a function: `visit("curator")` is a person logged in with that role, in a window of their own.

    `visit()` is somebody who is logged out. Errors that a page threw or logged fail the test at its end.
    """
    visitors: list[Visitor] = []

    def open_window(
        role: str = "", *, width: int = 1440, theme: str = "light"
    ) -> Visitor:
        visitor = Visitor(browser, site, width=width, theme=theme)
        visitors.append(visitor)
        if role:
            visitor.log_in(role)
        return visitor

    yield open_window
    shots = Path("test-results") / "failures"
    failed = getattr(request.node, "call_failed", False)
    for number, visitor in enumerate(visitors):
        if failed:
            visitor.page.screenshot(
                path=shots / f"{request.node.name}-{number}.png", full_page=True
            )
        visitor.close()
    assert failed or not (
        errors := [error for each in visitors for error in each.errors]
    ), errors


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]):
    report = yield
    if report.when == "call":
        item.call_failed = report.failed  # type: ignore[attr-defined]  # read by `visit` above
    return report
