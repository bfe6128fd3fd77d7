"""What a person does with an instance once it is there: again, by hand, backwards, and without a script."""

from __future__ import annotations

import re
import tarfile
from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Browser, Page, expect

from tests.browser import archives
from tests.browser.seeds import end_sessions
from tests.browser.site import RunningSite
from tests.browser.visitor import Visitor

Visit = Callable[..., Visitor]
DROP = """([name, data]) => {
  const transfer = new DataTransfer();
  transfer.items.add(new File([Uint8Array.from(data)], name, { type: "application/zip" }));
  const zone = document.querySelector("[data-dropzone]");
  for (const kind of ["dragenter", "dragover", "drop"]) {
    zone.dispatchEvent(new DragEvent(kind, { bubbles: true, cancelable: true, dataTransfer: transfer }));
  }
}"""


def import_here(somebody: Visitor, benchmark_id: str, files: dict[str, bytes]) -> Page:
    """Import `files` through the page and wait for the job to be done."""
    somebody.go("/instances/import/")
    page = somebody.page
    archive = archives.payload(f"{benchmark_id}.zip", files)
    page.get_by_label("Archive with instances").set_input_files(archive)
    page.get_by_role("button", name="Import as a job").click()
    expect(page.locator("#job-state .pill")).to_have_text("done", timeout=60_000)
    return page


def press(page: Page, key: str) -> None:
    """Press a key that leads to another page, and wait until its scripts listen."""
    with page.expect_navigation(wait_until="load"):
        page.keyboard.press(key)


def test_the_same_again_changes_nothing_and_a_change_is_a_new_revision(
    visit: Visit,
) -> None:
    mira = visit("curator")
    files = archives.instance("again", "ringbuf")
    import_here(mira, "again", files)
    page = import_here(mira, "again", files)
    expect(page.locator("#job-state")).to_contain_text("0 imported, 1 unchanged")
    path = "Ringbuf/Impl/Policy.lean"
    text = files[path].decode()
    assert "def offer" in text
    changed = {
        **files,
        path: text.replace("def offer", "def extra := 1\n\ndef offer", 1).encode(),
    }
    page = import_here(mira, "again", changed)
    expect(page.locator("#job-lines")).to_contain_text("1 definition added")
    page.keyboard.press("o")
    page.get_by_role("link", name="History", exact=False).first.click()
    page.get_by_role("link", name="r2", exact=True).last.click()
    expect(page.get_by_role("row", name="added Ringbuf.extra")).to_be_visible()
    page.get_by_role("link", name=path, exact=True).click()
    expect(page.locator(".ln.add").first).to_contain_text("def extra := 1")


def test_an_archive_can_be_dropped_onto_the_page(visit: Visit) -> None:
    mira = visit("curator")
    mira.go("/instances/import/")
    data = archives.zipped(archives.instance("dropped", "ringbuf"))
    mira.page.evaluate(DROP, ["dropped.zip", list(data)])
    expect(mira.page.locator("[data-announce]")).to_have_text("dropped.zip chosen")
    mira.page.get_by_role("button", name="Import as a job").click()
    expect(mira.page.locator("#job-state .pill")).to_have_text("done", timeout=60_000)


def test_a_change_is_found_from_the_definition_that_uses_it(visit: Visit) -> None:
    rhea = visit("reader")
    page = rhea.page
    rhea.go("/instances/ivalset/definitions/?q=Ivalset.add")
    page.get_by_role("link", name="Ivalset.add", exact=True).click()
    page.locator("a.name", has_text="insertMerged").click()
    page.get_by_role("link", name="History", exact=True).click()
    page.get_by_role("link", name="v1", exact=True).click()
    expect(page.locator(".ln.del del")).to_have_text("≤")
    expect(page.locator(".ln.add ins")).to_have_text("<")
    page.get_by_role("link", name="Lean now").click()
    expect(
        page.get_by_text("if iv.hi < new.lo then iv :: insertMerged")
    ).to_be_visible()
    for title in (
        "Ivalset.insertMerged",
        "ivalset",
        "Ivalset.insertMerged",
        "Ivalset.add",
    ):
        page.go_back()
        expect(page.get_by_role("heading", level=1)).to_have_text(title)


def test_filters_are_in_the_address_and_back_takes_them_off(visit: Visit) -> None:
    rhea = visit("reader")
    page = rhea.page
    rhea.go("/instances/ivalset/definitions/")
    page.get_by_label("Filters").get_by_role("link", name="API").click()
    page.wait_for_url("**/definitions/?kind=api")
    page.get_by_label("Filters").get_by_role("link", name="Query").click()
    page.wait_for_url("**/definitions/?kind=api&module=Query")
    expect(
        page.locator("tbody[data-rows] tr, table[data-rows] tbody tr")
    ).to_have_count(4)
    page.get_by_role("searchbox", name="Name or words").fill("total")
    page.keyboard.press("Enter")
    expect(page.locator("table[data-rows] tbody tr")).to_have_count(1)
    page.go_back()
    page.go_back()
    page.wait_for_url("**/definitions/?kind=api")
    expect(page.locator("table[data-rows] tbody tr")).to_have_count(10)


def test_a_definition_leads_to_its_neighbours_by_key_and_fields_keep_their_letters(
    visit: Visit,
) -> None:
    mira = visit("curator")
    page = mira.page
    mira.go("/instances/ivalset/definitions/?kind=api")
    page.get_by_role("link", name="Ivalset.add", exact=True).click()
    page.wait_for_url(re.compile(r"/definitions/\d+/"))
    title = page.get_by_role("heading", level=1)
    press(page, "j")  # helpers between the two are not in the list that was left
    expect(title).to_have_text("Ivalset.discard")
    press(page, "j")
    expect(title).to_have_text("Ivalset.popFirst")
    press(page, "k")
    expect(title).to_have_text("Ivalset.discard")
    page.keyboard.press("?")
    dialog = page.get_by_role("dialog", name="Keys")
    expect(dialog).to_be_visible()
    page.keyboard.press("Escape")
    field = page.get_by_label("Find an item of the source by name")
    field.fill("")
    field.press_sequentially("jk?o")
    expect(field).to_have_value("jk?o")
    expect(dialog).to_be_hidden()
    expect(title).to_have_text("Ivalset.discard")


def test_a_person_links_what_no_machine_did(visit: Visit) -> None:
    mira = visit("curator")
    page = mira.page
    mira.go("/instances/ivalset/definitions/?q=nonEmpty")
    page.get_by_role("link", name="Ivalset.nonEmpty", exact=True).click()
    expect(page.get_by_text("No source item is linked")).to_be_visible()
    page.get_by_label("Find an item of the source by name").fill("__len__")
    page.get_by_role("button", name="Find items").click()
    page.get_by_role("button", name="Link to nonEmpty").click()
    expect(page.get_by_text("is linked to IntervalSet.__len__")).to_be_visible()
    expect(
        page.locator("[data-code-pane=src]").get_by_text("def __len__")
    ).to_be_visible()
    page.get_by_role("button", name="Not its counterpart").click()
    expect(page.get_by_text("no import will say so again")).to_be_visible()
    page.get_by_role("link", name="History", exact=True).click()
    feed = page.locator(".feed")
    expect(feed).to_contain_text("mira linked Ivalset.nonEmpty to IntervalSet.__len__")
    expect(feed).to_contain_text("is no counterpart of IntervalSet.__len__")


def test_the_export_is_what_was_imported(visit: Visit, tmp_path: Path) -> None:
    rhea = visit("reader")
    rhea.go("/instances/ivalset/")
    with rhea.page.expect_download() as download:
        rhea.page.get_by_role("link", name="Export r2").click()
    kept = tmp_path / "export.tar.gz"
    download.value.save_as(kept)
    with tarfile.open(kept) as archive:
        packed = {
            entry.name.split("/", 1)[1]: archive.extractfile(entry) for entry in archive
        }
        exported = {name: file.read() for name, file in packed.items() if file}
    assert exported == archives.files_below(archives.FIXTURES / "instances" / "ivalset")


def test_a_session_that_ends_under_a_plain_form_gives_the_text_back(
    visit: Visit,
) -> None:
    ada = visit("admin")
    page = ada.page
    ada.go("/people/teams/demo/")
    form = page.locator("section", has=page.get_by_role("heading", name="New account"))
    fields = form.locator("input:not([type=hidden])")
    for number in range(fields.count()):
        fields.nth(number).fill(f"typed-{number}@example.org")
    name, password = ada.site.accounts["admin"]
    assert ada.site.seed(
        f"{end_sessions.__module__}:{end_sessions.__name__}", name=name
    )
    form.get_by_role("button").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("You are logged out")
    for number in range(fields.count()):
        expect(page.locator(f"[value='typed-{number}@example.org']")).to_be_visible()
    with ada.context.expect_page() as opened:
        page.get_by_role("link", name="Log in in a new tab").click()
    opened.value.get_by_label("Name").fill(name)
    opened.value.get_by_label("Password").fill(password)
    opened.value.get_by_role("button", name="Log in").click()
    expect(opened.value.get_by_role("heading", level=1)).to_be_visible()
    page.get_by_role("button", name="Send it again").click()
    expect(page.get_by_role("heading", level=1)).not_to_have_text("You are logged out")


def test_import_and_reading_work_without_a_script(
    browser: Browser, site: RunningSite
) -> None:
    window = browser.new_context(base_url=site.address, java_script_enabled=False)
    page = window.new_page()
    name, password = site.accounts["curator"]
    page.goto("/login/?next=/instances/import/")
    page.get_by_label("Name").fill(name)
    page.get_by_label("Password").fill(password)
    page.get_by_role("button", name="Log in").click()
    page.goto("/instances/import/")
    archive = archives.payload("plain.zip", archives.instance("plain"))
    sources = archives.payload("source.zip", archives.upstream())
    page.get_by_label("Archive with instances").set_input_files(archive)
    page.get_by_label("Archive with upstream files").set_input_files(sources)
    page.get_by_role("button", name="Import as a job").click()
    page.wait_for_url(re.compile(r"/jobs/\d+/$"))
    for _ in range(120):
        if page.locator("#job-state .pill").inner_text() not in ("queued", "running"):
            break
        page.wait_for_timeout(500)
        page.reload()
    page.get_by_role("link", name="Open the result").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("plain")
    page.get_by_role("link", name="Definitions", exact=False).first.click()
    page.get_by_role("link", name="Ivalset.add", exact=True).click()
    expect(page.locator("[data-code-pane=src]").get_by_text("def add")).to_be_visible()
    page.locator("[data-code-pane=lean] a.fold").first.click()
    expect(page.get_by_text("structure IntervalSet")).to_be_visible()
    window.close()
