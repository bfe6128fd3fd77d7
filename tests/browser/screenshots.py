"""bin/screenshots: the pictures of the README, taken from the demo in a scratch folder.

Run through `main`; it is no test. Each picture is one window, 1440 pixels wide and at most 900 high.
"""

from __future__ import annotations

import argparse
import os
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import Error, sync_playwright

from tests import migrated
from tests.browser.site import running_site
from tests.browser.visitor import Visitor
from workbench.setup import chromium, services
from workbench.setup.places import ROOT
from workbench.setup.words import Problem, complain, say

WIDTH, HEIGHT, MARGIN = 1440, 900, 24
FOLDER = ROOT / "docs" / "pictures"


@dataclass(frozen=True)
class Picture:
    """One picture: its file's name, who sees it, the page, and the text of a link to follow from there."""

    name: str
    role: str
    path: str
    theme: str = "light"
    follow: str = ""


PICTURES = (
    Picture("home-light", "curator", "/"),
    Picture("instances-light", "curator", "/instances/"),
    Picture("instance-dark", "curator", "/instances/ivalset/", theme="dark"),
    Picture(
        "definition-light",
        "curator",
        "/instances/ivalset/definitions/?kind=api&q=overlaps",
        follow="overlaps",
    ),
    Picture("findings-light", "curator", "/instances/ivalset/findings/"),
    Picture("operations-dark", "admin", "/operations/", theme="dark"),
)


def main(arguments: Sequence[str]) -> int:
    """Take the pictures (those named in `arguments`, else all). Returns 0, or 2 after a sentence."""
    names = [picture.name for picture in PICTURES]
    parser = argparse.ArgumentParser(
        prog="bin/screenshots", description="Take the README's pictures from the demo."
    )
    parser.add_argument(
        "names", nargs="*", metavar="NAME", help=f"which ones: {', '.join(names)}"
    )
    parser.add_argument(
        "--out",
        type=Path,
        default=FOLDER,
        metavar="DIR",
        help="folder to write to (docs/pictures)",
    )
    options = parser.parse_args(arguments)
    if unknown := set(options.names) - set(names):
        parser.error(f"there is no picture {', '.join(sorted(unknown))}")
    try:
        if obstacle := chromium.obstacle(install=True):
            raise Problem(f"no Chromium: {obstacle}.")
        options.out.mkdir(parents=True, exist_ok=True)
        _take(
            [
                each
                for each in PICTURES
                if not options.names or each.name in options.names
            ],
            options.out,
        )
    except (Problem, Error) as problem:
        complain(problem)
        return 2
    return 0


def _take(pictures: Sequence[Picture], out: Path) -> None:
    postgresql = services.postgresql_obstacle()
    with tempfile.TemporaryDirectory(prefix="proofroom-pictures-") as folder:
        if postgresql:
            _take_on("", Path(folder), pictures, out)
        else:
            with services.scratch_postgresql() as url:
                _take_on(url, Path(folder), pictures, out)


def _take_on(url: str, folder: Path, pictures: Sequence[Picture], out: Path) -> None:
    os.environ[migrated.OF_THE_RUN] = str(folder / "migrated")
    with running_site(folder, url) as site, sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=chromium.program(), args=chromium.arguments()
        )
        for picture in pictures:
            visitor = Visitor(browser, site, theme=picture.theme)
            visitor.log_in(picture.role)
            visitor.go(picture.path)
            if picture.follow:
                visitor.page.locator(
                    f'main a[href*="/definitions/"]:has-text("{picture.follow}")'
                ).first.click()
            visitor.page.wait_for_load_state("networkidle")
            low = visitor.page.evaluate(
                "document.querySelector('.page').getBoundingClientRect().bottom"
            )
            visitor.page.screenshot(
                path=out / f"{picture.name}.png",
                animations="disabled",
                caret="hide",
                clip={
                    "x": 0,
                    "y": 0,
                    "width": WIDTH,
                    "height": min(HEIGHT, low + MARGIN),
                },
            )
            visitor.close()
            if visitor.errors:
                raise Problem(f"{picture.path}: {'; '.join(visitor.errors)}")
            say(f"{picture.name}.png  {picture.path}")
        browser.close()
