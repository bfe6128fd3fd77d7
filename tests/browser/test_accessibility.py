"""Every page of the product, with data, empty and refused: accessible in both themes, and never wider than its window.

The pages of the house (preferences, people, events …) have their axe in test_house.py; here is the rest.
"""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.browser import archives
from tests.browser.visitor import THEMES, WIDTHS, Visitor

Visit = Callable[..., Visitor]
ONE = "/instances/ivalset"

PAGES = {
    "home": "/",
    "the list of instances": "/instances/",
    "instances under a filter": "/instances/?language=python&state=warnings",
    "no instance under a filter": "/instances/?q=no+such+instance",
    "the import": "/instances/import/",
    "an instance": f"{ONE}/",
    "its definitions": f"{ONE}/definitions/",
    "no definition under a filter": f"{ONE}/definitions/?q=no+such+name",
    "its specs": f"{ONE}/specs/",
    "no spec under a filter": f"{ONE}/specs/?q=no+such+name",
    "its source": f"{ONE}/source/",
    "no source item under a filter": f"{ONE}/source/?q=no+such+name",
    "its findings": f"{ONE}/findings/",
    "no finding under a filter": f"{ONE}/findings/?code=no-such-code",
    "its files": f"{ONE}/files/",
    "the files of an older revision": f"{ONE}/files/?r=1",
    "a file": f"{ONE}/files/Ivalset/Impl/Core.lean",
    "a file of an older revision": f"{ONE}/files/Ivalset/Impl/Core.lean?r=1",
    "the manifest": f"{ONE}/files/manifest.json",
    "a file of the source": f"{ONE}/source/files/ivalset/core.py",
    "a file of the source in Dafny": "/instances/ringbuf/source/files/src/Ring.dfy",
    "its history": f"{ONE}/history/",
    "its first revision": f"{ONE}/revisions/1/",
    "a revision with changes": f"{ONE}/revisions/2/",
    "a changed file": f"{ONE}/revisions/2/files/Ivalset/Impl/Core.lean",
    "a changed file side by side": f"{ONE}/revisions/2/files/Ivalset/Impl/Core.lean?mode=split",
    "all findings that there are": "/instances/explain/",
    "the page of a finding": "/instances/explain/api-without-slot/",
    "the review queue": "/review/",
    "nothing in the queue under a filter": "/review/?q=no+such+name",
    "many about to be approved": "/review/bulk/?verb=approve&all=yes&queue=instance%3Divalset",
    "many about to be given away": "/review/bulk/?verb=assign&all=yes&queue=instance%3Dringbuf",
    "the inbox": "/inbox/?show=all",
    "the approvals needed": "/review/ivalset/policy/",
    "the marks in its files": "/review/ivalset/marks/",
    "the list of releases": "/releases/",
    "the list of jobs": "/jobs/",
    "no job under a filter": "/jobs/?state=declined",
}  # fmt: skip
DEFINITIONS = {
    "a definition beside its source": ("ivalset", "Ivalset.add", ""),
    "a definition in Dafny": ("ringbuf", "Ringbuf.offer", ""),
    "a definition without a counterpart": ("ivalset", "Ivalset.AddSig", ""),
    "a definition against an older version": ("ivalset", "Ivalset.insertMerged", "?against=1"),
    "a definition that is edited": ("ivalset", "Ivalset.overlaps", "?view=edit"),
    "a spec": ("ivalset", "spec_add_mem", ""),
    "items that could be linked": ("ivalset", "Ivalset.Interval.width", "candidates/?words=total"),
}  # fmt: skip
REFUSED = {
    "nothing there": ("curator", "/instances/no-such-instance/", 404),
    "no such file": ("curator", f"{ONE}/files/No/Such.lean", 404),
    "no such job": ("curator", "/jobs/999999/", 404),
    "no right to import": ("reader", "/instances/import/", 403),
    "an address without sense": ("curator", f"{ONE}/files/manifest.json?lines=9-1", 400),
}  # fmt: skip

CUT_LINKS = """() => [...document.querySelectorAll(".fold")]
  .filter((fold) => fold.lastElementChild.getBoundingClientRect().right > fold.getBoundingClientRect().right + 1)
  .map((fold) => fold.innerText)"""


def demand(somebody: Visitor) -> None:
    """Fail unless the present page is accessible in both themes and fits both widths."""
    for width in WIDTHS:
        somebody.show(width=width, theme="light")
        assert somebody.overflow() == 0, f"{somebody.page.url} at {width} px"
    somebody.demand_accessible()
    expect(somebody.page.get_by_role("heading", level=1)).to_have_count(1)


def definition(somebody: Visitor, instance: str, name: str) -> str:
    """Return the address of the definition called `name`."""
    somebody.go(f"/instances/{instance}/definitions/?q={name}")
    link = somebody.page.get_by_role("link", name=name, exact=True)
    return link.get_attribute("href") or ""


@pytest.mark.parametrize("path", PAGES.values(), ids=PAGES)
def test_a_page(visit: Visit, path: str) -> None:
    mira = visit("curator")
    mira.go(path)
    demand(mira)


@pytest.mark.parametrize(
    ("instance", "name", "query"), DEFINITIONS.values(), ids=DEFINITIONS
)
def test_a_definition(visit: Visit, instance: str, name: str, query: str) -> None:
    mira = visit("curator")
    mira.go(definition(mira, instance, name) + query)
    demand(mira)
    mira.show(width=1024, theme="light")
    assert mira.page.evaluate(CUT_LINKS) == [], "folds whose link lies outside"


@pytest.mark.parametrize(("role", "path", "status"), REFUSED.values(), ids=REFUSED)
def test_a_refusal(visit: Visit, role: str, path: str, status: int) -> None:
    somebody = visit(role)
    answer = somebody.page.goto(path)
    assert answer is not None
    assert answer.status == status
    expect(somebody.page.get_by_role("link", name="Home").last).to_be_visible()
    demand(somebody)


def test_what_opens_on_a_definition(visit: Visit) -> None:
    mira = visit("curator")
    mira.go(definition(mira, "ivalset", "Ivalset.add"))
    page = mira.page
    page.locator("[data-code-pane=lean] .fold").first.click()
    expect(page.locator("[data-code-pane=lean] .code")).to_have_count(2)
    page.locator("details.characters summary").click()
    page.locator("[data-code-pane=lean] [data-name=add]").first.hover()
    page.get_by_role("button", name="Find items").click()
    expect(page.get_by_role("button", name="Link to add").first).to_be_visible()
    demand(mira)


def test_an_archive_that_is_none_is_refused_on_the_form(visit: Visit) -> None:
    mira = visit("curator")
    mira.go("/instances/import/")
    upload(mira.page, "notes.txt", b"no archive")
    expect(
        mira.page.get_by_text("notes.txt is no archive that we read")
    ).to_be_visible()
    demand(mira)


def test_an_import_that_fails_says_why_on_the_page_of_its_job(visit: Visit) -> None:
    mira = visit("curator")
    broken = archives.instance("broken") | {
        "manifest.json": b'{"benchmark_id": "broken",'
    }
    mira.go("/instances/import/")
    upload(mira.page, "broken.zip", archives.zipped(broken))
    mira.page.wait_for_url(re.compile(r"/jobs/\d+/$"))
    expect(mira.page.locator("#job-state .pill")).to_have_text("failed", timeout=60_000)
    expect(mira.page.locator("#job-state")).to_contain_text("manifest.json")
    demand(mira)


def test_the_job_of_an_import_that_is_done(visit: Visit) -> None:
    mira = visit("curator")
    mira.go("/instances/import/")
    upload(mira.page, "seen.zip", archives.zipped(archives.instance("seen", "ringbuf")))
    mira.page.wait_for_url(re.compile(r"/jobs/\d+/$"))
    expect(mira.page.locator("#job-state .pill")).to_have_text("done", timeout=60_000)
    demand(mira)
    mira.go("/instances/seen/source/")  # its source was not given
    demand(mira)
    mira.go("/instances/seen/files/")
    demand(mira)


def upload(page: Page, name: str, data: bytes) -> None:
    field = page.get_by_label("Archive with instances")
    field.evaluate("field => field.removeAttribute('accept')")
    field.set_input_files({"name": name, "mimeType": "application/zip", "buffer": data})
    page.get_by_role("button", name="Import as a job").click()


def test_somebody_new_finds_empty_lists_with_a_way_on(visit: Visit) -> None:
    somebody = visit()
    password = "newcomers-are-welcome-1"
    site = somebody.site
    name = site.seed(
        "tests.browser.seeds:newcomer", name="newt", password=password, team="newts"
    )
    page = somebody.page
    somebody.go("/login/")
    page.get_by_label("Name").fill(name)
    page.get_by_label("Password").fill(password)
    page.get_by_role("button", name="Log in").click()
    expect(page).not_to_have_url(site.url("/login/"))
    for path, words in (
        ("/", "No instance yet"),
        ("/instances/", "No instance yet"),
        ("/jobs/", "will be listed here"),
        ("/events/", "Show all events"),
    ):
        somebody.go(path)
        expect(page.get_by_text(words).first).to_be_visible()
        demand(somebody)
    assert page.goto(f"{ONE}/").status == 404  # type: ignore[union-attr]  # a page was loaded
    assert page.goto("/instances/no-such-instance/").status == 404  # type: ignore[union-attr]  # as above


@pytest.mark.parametrize("theme", THEMES)
def test_the_chosen_theme_is_there_before_the_first_script(
    visit: Visit, theme: str
) -> None:
    somebody = visit(theme=theme)
    somebody.go("/login/")
    shade = somebody.page.evaluate(
        "getComputedStyle(document.body).backgroundColor.match(/\\d+/)[0]"
    )
    assert (int(shade) > 128) == (theme == "light")
