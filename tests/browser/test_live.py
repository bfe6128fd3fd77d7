"""What pages do with pokes: show what happened, say it once, and stay out of the reader's hands."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Page, WebSocket, expect

from tests.browser.site import RunningSite
from tests.browser.visitor import Visitor

Visit = Callable[..., Visitor]
PATIENCE_MS = 30_000
KEEP_SOCKETS = """
window.sockets = [];
window.WebSocket = class extends WebSocket {
  constructor(...given) { super(...given); window.sockets.push(this); }
};
"""
SEEDS = "tests.workbench.live.seeds"


class ByHand:
    """A running job of the demo's curator that the test moves on."""

    def __init__(self, site: RunningSite) -> None:
        self._site = site
        self.pk: int = site.seed(f"{SEEDS}:begin", owner=site.accounts["curator"][0])
        self.path = f"/jobs/{self.pk}/"

    def step(self, **how: Any) -> None:
        self._site.seed(f"{SEEDS}:step", job=self.pk, **how)

    def finish(self, summary: str) -> None:
        self._site.seed(f"{SEEDS}:finish", job=self.pk, summary=summary)

    def asked_to_stop(self) -> bool:
        return bool(self._site.seed(f"{SEEDS}:asked_to_stop", job=self.pk))

    def remove(self) -> None:
        self._site.seed(f"{SEEDS}:remove", job=self.pk)


@pytest.fixture
def job(site: RunningSite) -> Iterator[ByHand]:
    made = ByHand(site)
    yield made
    made.remove()


def shows(page: Page, words: str | re.Pattern[str], where: str = "#job-state") -> None:
    """The page comes to show `words`, without being loaded anew, however busy the machine."""
    expect(page.locator(where)).to_contain_text(words, timeout=PATIENCE_MS)


def says(page: Page, words: str) -> None:
    """The live region comes to say `words`."""
    region = page.locator("[data-announce]")
    expect(region).to_have_text(words, timeout=PATIENCE_MS)


def until_connected(page: Page) -> None:
    """Wait until the server has said where its record stands: from there on nothing is missed."""
    for _ in range(150):
        if page.evaluate("sessionStorage.getItem('live-at') !== null"):
            return
        page.wait_for_timeout(100)
    raise AssertionError("the socket said nothing")


def test_two_windows_watch_one_job(visit: Visit, job: ByHand) -> None:
    owner, other = visit("curator"), visit("maintainer")
    for somebody in (owner, other):
        somebody.go(job.path)
    job.step(done=3, total=43, doing="base58", lines=["base58: read"])
    for somebody in (owner, other):
        shows(somebody.page, re.compile(r"3 / 43\s*base58"))
        shows(somebody.page, "base58: read", "#job-lines")
    other.page.get_by_role("button", name="Cancel and end its processes").click()
    for somebody in (owner, other):
        shows(somebody.page, "being cancelled")


def test_the_end_is_said_once_to_the_owner_wherever_they_are(
    visit: Visit, job: ByHand
) -> None:
    owner, other = visit("curator"), visit("maintainer")
    owner.go("/events/")
    other.go(job.path)
    expect(owner.page.locator("h1")).to_be_visible()
    until_connected(owner.page)
    job.finish("43 imported")
    said = f"by-hand {job.pk} is done: 43 imported"
    says(owner.page, said)
    shows(other.page, "43 imported")
    says(other.page, "")
    owner.go(job.path)
    shows(owner.page, "43 imported")
    owner.page.wait_for_timeout(500)
    says(owner.page, "")


def test_what_ended_while_the_page_was_away_is_said_on_the_next(
    visit: Visit, job: ByHand
) -> None:
    owner = visit("curator")
    owner.go(job.path)
    until_connected(owner.page)
    owner.page.goto("about:blank")
    job.finish("done meanwhile")
    owner.go("/events/")
    says(owner.page, f"by-hand {job.pk} is done: done meanwhile")


def test_a_log_follows_its_end_unless_the_reader_has_scrolled(
    visit: Visit, job: ByHand
) -> None:
    owner = visit("curator")
    job.step(lines=[f"line {number}" for number in range(60)])
    owner.go(job.path)
    log = owner.page.locator("#job-lines")
    at_end = "log => log.scrollTop + log.clientHeight >= log.scrollHeight - 4"
    assert log.evaluate(at_end)
    job.step(lines=["one more"])
    shows(owner.page, "one more", "#job-lines")
    assert log.evaluate(at_end)
    log.evaluate("log => { log.scrollTop = 90; }")
    job.step(lines=["and another"])
    shows(owner.page, "and another", "#job-lines")
    assert log.evaluate("log => log.scrollTop") == 90


def test_a_button_that_is_being_pressed_stays(visit: Visit, job: ByHand) -> None:
    owner = visit("curator")
    owner.go(job.path)
    owner.page.get_by_role("button", name="Cancel and end its processes").hover()
    owner.page.mouse.down()
    job.step(done=1, total=2, doing="moving on")
    owner.page.wait_for_timeout(1500)
    owner.page.mouse.up()
    shows(owner.page, "being cancelled")
    assert job.asked_to_stop()


def test_text_that_is_being_selected_stays_until_it_is_let_go(
    visit: Visit, job: ByHand
) -> None:
    owner = visit("curator")
    job.step(lines=["copy me"])
    owner.go(job.path)
    owner.page.evaluate(
        "getSelection().selectAllChildren(document.querySelector('#job-lines'))"
    )
    job.step(done=1, total=2, doing="moving on")
    owner.page.wait_for_timeout(1500)
    assert "copy me" in owner.page.evaluate("getSelection().toString()")
    assert "moving on" not in owner.page.inner_text("#job-state")
    owner.page.evaluate("getSelection().removeAllRanges()")
    shows(owner.page, "moving on")


def test_without_a_socket_the_page_asks_now_and_then(visit: Visit, job: ByHand) -> None:
    owner = visit("curator")
    owner.page.route_web_socket("**/live/", lambda socket: socket.close())
    owner.go(job.path)
    job.step(done=5, total=9, doing="by asking")
    shows(owner.page, re.compile(r"5 / 9\s*by asking"))


def test_a_socket_that_breaks_is_opened_again_and_tells_what_was_missed(
    visit: Visit, job: ByHand
) -> None:
    owner = visit("curator")
    owner.page.add_init_script(KEEP_SOCKETS)
    owner.go(job.path)
    until_connected(owner.page)
    owner.page.evaluate("sockets[0].close()")
    job.step(done=2, total=9, doing="meanwhile")
    shows(owner.page, re.compile(r"2 / 9\s*meanwhile"))
    owner.page.wait_for_function("sockets.length > 1")


def test_somebody_who_is_logged_out_is_sent_away_once(visit: Visit) -> None:
    nobody = visit()
    opened: list[WebSocket] = []
    nobody.page.on("websocket", lambda socket: opened.append(socket))
    nobody.go("/login/")
    nobody.page.wait_for_timeout(4000)
    assert [socket.is_closed() for socket in opened] == [True]
