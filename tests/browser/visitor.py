"""Somebody at a browser: logs in, goes somewhere, takes pictures, asks axe about accessibility."""

from __future__ import annotations

from pathlib import Path
from typing import Literal, cast

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, ConsoleMessage, Page, expect

from tests.browser.site import RunningSite

WIDTHS = (1440, 1024)
THEMES = ("light", "dark")
PICTURES = Path("test-results") / "pictures"
# What axe asks: WCAG 2.2 at the levels A and AA, and good practice.
ALL_RULES: dict[str, object] = {
    "type": "tag",
    "values": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
}
# A theme changes colours and nothing else.
COLOUR_RULES: dict[str, object] = {
    "type": "rule",
    "values": ["color-contrast", "link-in-text-block"],
}
# A quarter of its time goes into what is right, and into frames and style sheets of others, which no page has.
ONLY_WHAT_IS_WRONG: dict[str, object] = {
    "resultTypes": ["violations"],
    "iframes": False,
    "preload": False,
}


class Visitor:
    """One browser window. `page` is Playwright's; `errors` collects what pages threw or logged as an error."""

    def __init__(
        self,
        browser: Browser,
        site: RunningSite,
        *,
        width: int = 1440,
        theme: str = "light",
    ) -> None:
        self.site = site
        scheme = cast(Literal["light", "dark"], theme)
        self.context = browser.new_context(
            base_url=site.address, viewport={"width": width, "height": 900}, color_scheme=scheme,
        )  # fmt: skip
        self.context.set_default_timeout(15_000)
        self.page: Page = self.context.new_page()
        self.errors: list[str] = []
        self.page.on(
            "pageerror", lambda error: self.errors.append(f"{self.page.url}: {error}")
        )
        self.page.on("console", self._heard)

    def _heard(self, message: ConsoleMessage) -> None:
        # A refused form or a missing page is logged by the browser too; what such a page shows is asserted by the test.
        if message.type == "error" and "Failed to load resource" not in message.text:
            self.errors.append(f"{self.page.url}: {message.text}")

    def log_in(self, role: str = "curator") -> None:
        """Be logged in as the demo's person with `role`: through the page, or by the cookies of the last time."""
        if kept := self.site.cookies.get(role):
            self.context.add_cookies(kept)
            if self.context.request.get("/preferences/", max_redirects=0).ok:
                return
            self.context.clear_cookies()
        name, password = self.site.accounts[role]
        self.page.goto("/login/")
        self.page.fill("[name=username]", name)
        self.page.fill("[name=password]", password)
        self.page.locator("form:has([name=password]) button").click()
        expect(self.page).not_to_have_url(self.site.url("/login/"))
        self.site.cookies[role] = self.context.cookies()

    def go(self, path: str) -> None:
        """Open `path` and wait until the page has loaded. Fails on an error of the server."""
        answer = self.page.goto(path)
        assert answer is not None
        assert answer.status < 500, f"{path} answered {answer.status}"

    def show(self, *, width: int, theme: str) -> None:
        """Show the present page at `width` pixels in `theme`, as if the system asked for it."""
        self.page.set_viewport_size({"width": width, "height": 900})
        self.page.emulate_media(color_scheme=cast(Literal["light", "dark"], theme))

    def picture(self, name: str) -> list[Path]:
        """Take the present page in both themes at both widths, to test-results/pictures; return the files."""
        taken = []
        for theme in THEMES:
            for width in WIDTHS:
                self.show(width=width, theme=theme)
                taken.append(PICTURES / f"{name}-{theme}-{width}.png")
                self.page.screenshot(path=taken[-1], full_page=True)
        return taken

    def complaints(self, rules: dict[str, object] = ALL_RULES) -> list[str]:
        """Return what axe finds wrong with the present page by `rules`: one sentence a rule, with the first place."""
        found = Axe().run(self.page, options={"runOnly": rules, **ONLY_WHAT_IS_WRONG})
        return [
            f"{each['id']} ({each['impact']}): {each['help']}; {len(each['nodes'])} times, first {each['nodes'][0]['target']}"
            for each in found.response["violations"]
        ]

    def demand_accessible(self) -> None:
        """Fail if axe finds anything wrong with the present page in the light theme, or with the colours of the dark one."""
        for theme, rules in (("light", ALL_RULES), ("dark", COLOUR_RULES)):
            self.page.emulate_media(color_scheme=cast(Literal["light", "dark"], theme))
            found = "\n".join(self.complaints(rules))
            assert not found, f"{self.page.url} in the {theme} theme:\n{found}"

    def overflow(self) -> int:
        """Return by how many pixels the present page is wider than its window."""
        return int(
            self.page.evaluate(
                "document.documentElement.scrollWidth - document.documentElement.clientWidth"
            )
        )

    def close(self) -> None:
        self.context.close()
