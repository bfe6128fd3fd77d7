"""From five files to a release that anybody can check, by three people, with real gradings.

On SQLite with the embedded engine, as on one machine; on PostgreSQL with Celery and Redis, as in a team.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path

import pytest
from playwright.sync_api import Browser, FilePayload, Page, expect

from tests.browser import archives
from tests.browser.site import RunningSite, running_site
from tests.browser.visitor import Visitor
from workbench.setup import services
from workbench.setup.places import ROOT

SEEDS = "tests.browser.grading_seeds"
SOLVED = ROOT / "fixtures" / "submissions" / "ivalset"
# Gradings take seconds; on a busy machine many.
PATIENCE_MS = 180_000


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningSite]:
    """A site of a team's own, with the compiled core that other tests use too."""
    folder, server = tmp_path_factory.mktemp("bench"), os.environ.get("DATABASE_URL", "")  # fmt: skip
    (ROOT / "var" / "cache").mkdir(parents=True, exist_ok=True)
    (folder / "cache").symlink_to(ROOT / "var" / "cache")
    with ExitStack() as stack:
        more: dict[str, str] = {}
        if server:
            if obstacle := services.redis_obstacle():
                pytest.skip(f"no Redis: {obstacle}")
            redis = stack.enter_context(services.scratch_redis())
            more = {"WORKBENCH_JOB_ENGINE": "celery", "WORKBENCH_REDIS_URL": redis}
        yield stack.enter_context(
            running_site(folder, server, instead=f"{SEEDS}:bench", more=more)
        )


def five_files() -> list[FilePayload]:
    """Return the full solve, the same again, a module of it, something broken, and one whose proof never ends."""
    solved = archives.files_below(SOLVED / "proof")
    files: Mapping[str, Mapping[str, bytes]] = {
        "full": solved,
        "again": solved,
        "query": {path: text for path, text in solved.items() if "Query" in path},
        "broken": {"artifact.json": b"{"},
        "endless": archives.files_below(SOLVED / "partial" / "endless"),
    }
    return [archives.payload(f"{name}.zip", each) for name, each in files.items()]


def press(page: Page, name: str) -> None:
    """Press the button called `name`, and wait for the page that it leads to."""
    with page.expect_navigation(wait_until="load"):
        page.get_by_role("button", name=name, exact=True).click()


def shows(page: Page, where: str, words: str | re.Pattern[str]) -> None:
    """The page comes to show `words`, by itself."""
    expect(page.locator(where)).to_contain_text(words, timeout=PATIENCE_MS)


@pytest.mark.lean
@pytest.mark.sqlite_too
def test_from_five_files_to_a_release_that_anybody_can_check(
    browser: Browser, bench: RunningSite, tmp_path: Path
) -> None:
    sol, mira, ada = (Visitor(browser, bench) for _ in range(3))
    for somebody, role in ((sol, "submitter"), (mira, "curator"), (ada, "maintainer")):
        somebody.log_in(role)
    try:
        endless = hand_in(sol)
        watch_and_cancel(sol, ada, endless)
        finding = rule(ada)
        repair(mira, ada, finding)
        regrade(sol, ada)
        release(ada, tmp_path)
        assert not (errors := [*sol.errors, *mira.errors, *ada.errors]), errors
    except BaseException:
        for number, somebody in enumerate((sol, mira, ada)):
            shot = Path("test-results", "failures", f"grading-journey-{number}.png")
            somebody.page.screenshot(path=shot, full_page=True)
        raise
    finally:
        for somebody in (sol, mira, ada):
            somebody.close()


def hand_in(sol: Visitor) -> str:
    """Sol hands in five files at once; return the address of the run that never ends."""
    sol.go("/runs/submit/?instance=ivalset")
    page = sol.page
    page.locator("[name=submissions]").set_input_files(five_files())
    page.get_by_label("Mode", exact=True).select_option("proof")
    page.get_by_label("Harness").fill("Codex")
    press(page, "Hand in and grade")
    became = ("taken", "here already", "taken", "refused", "taken")
    expect(page.locator("tbody td:nth-child(2)")).to_contain_text(became)
    address = page.locator("tr", has_text="endless").get_by_role("link").first.get_attribute("href")  # fmt: skip
    assert address
    return address


def watch_and_cancel(sol: Visitor, ada: Visitor, endless: str) -> None:
    """Two windows see the same run at work; its owner cancels it, and both see that too. The others get verdicts."""
    ada.go(endless)
    sol.go(endless)
    for somebody in (sol, ada):
        shows(somebody.page, "#run-lines", "modules to compile")
        shows(somebody.page, "#run-facts", "running")
    press(sol.page, "Cancel run")
    for somebody in (sol, ada):
        shows(somebody.page, "#run-facts", "cancelled")
        shows(somebody.page, "#run-live", "No verdict came of it")
    sol.go("/runs/?instance=ivalset")
    ada.go("/audit/?instance=ivalset")
    table = sol.page.locator("#runs tbody")
    expect(table.locator("[data-tone=info], [data-tone=ok]")).to_have_count(2, timeout=PATIENCE_MS)  # fmt: skip
    expect(table).to_contain_text("12 / 12")


def rule(ada: Visitor) -> str:
    """The refutation is in the queue without anybody's doing; Ada rules that the spec is wrong. Return the finding's address."""
    page = ada.page
    shows(page, "#findings", "spec_add_count")
    with page.expect_navigation(wait_until="load"):
        page.locator("#findings tr", has_text="spec_add_count").get_by_role("link").first.click()  # fmt: skip
    expect(page.locator("#closures")).to_contain_text("Codex")
    page.get_by_role("radio", name="Mistranslated").check()
    page.get_by_label("Severity").select_option("high")
    page.get_by_label("Rationale").fill("Touching intervals are merged in the source.")
    press(page, "Rule")
    expect(page.locator("#rulings")).to_contain_text("Touching intervals")
    expect(page.locator(".pagehead")).to_contain_text("confirmed")
    return page.url


def repair(mira: Visitor, ada: Visitor, finding: str) -> None:
    """Mira mends the spec; Ada names that revision, and the grader finds that nothing refutes it any more."""
    mira.go(f"{mira.site.seed(f'{SEEDS}:spec_address', name='spec_add_count')}?view=edit")  # fmt: skip
    text = mira.page.get_by_label("Lean text of")
    kept = text.input_value()
    assert "iv.hi ≤ lo ∨ hi ≤ iv.lo" in kept
    text.fill(kept.replace("iv.hi ≤ lo ∨ hi ≤ iv.lo", "iv.hi < lo ∨ hi < iv.lo"))
    press(mira.page, "Save as v2")
    ada.go(finding)
    ada.page.get_by_label("Revision").select_option("2")
    press(ada.page, "Check it on this revision")
    shows(ada.page, "#repairs", "holds")
    for where in ("#finding-rail [aria-current=step]", "#finding-facts"):
        shows(ada.page, where, "repaired")


def regrade(sol: Visitor, ada: Visitor) -> None:
    """What counts is graded again on the mended revision, beside the old; applied, an open board moves by itself."""
    sol.go("/boards/bench/")
    board = sol.page.locator("#board-live")
    expect(board).to_contain_text("Codex")
    ada.go("/runs/?instance=ivalset")
    page = ada.page
    page.get_by_label("Reason").fill("spec_add_count was repaired")
    page.get_by_label("against the newest revision").check()
    press(page, "Regrade these 2 runs")
    shows(page, "#regrade-live", "2 / 2 ended")
    expect(page.locator("#matrix tbody")).to_contain_text("passed")
    before = board.inner_text()
    page.locator("#set-actions summary, #set-actions button").get_by_text("Apply").click()  # fmt: skip
    press(page, "Make these results count")
    expect(page.locator("main")).to_contain_text("2 runs count now")
    expect(board).not_to_have_text(before, timeout=PATIENCE_MS)
    expect(board).to_contain_text("11")


def release(ada: Visitor, folder: Path) -> None:
    """Ada freezes the set, signs for what is open, builds and publishes; the archive is checked offline."""
    ada.site.seed(f"{SEEDS}:green_canaries")
    ada.go("/releases/for/bench/")
    page = ada.page
    page.get_by_label("Version").fill("1.0")
    press(page, "Freeze 1 instance")
    unsigned = page.locator("#gate .blocker:has(form)")
    expect(unsigned).not_to_have_count(0)
    while unsigned.count():
        unsigned.first.get_by_text("Sign for it").click()
        unsigned.first.get_by_label("Why it may pass").fill("to walk the whole way")
        with page.expect_navigation(wait_until="load"):
            unsigned.first.get_by_role("button", name="Sign").click()
    press(page, "Build")
    shows(page, "#release-facts", "built")
    with page.expect_download() as download:
        page.get_by_role("link", name=re.compile("^Download")).click()
    archive = folder / download.value.suggested_filename
    download.value.save_as(archive)
    assert ada.site.command("release", "verify", str(archive))["ok"]
