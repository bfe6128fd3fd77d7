"""How fast pages are, on made instances of several sizes. Prints figures beside their budgets.

    python tests/speed/pages.py [--runs N] [--no-browser] [--busy] [--json]

Server time is that of a request inside the process, middleware and templates included, from the session in the cookie
to the last byte: the best of N runs, which is held against the budget, with their median and the least processor
time. On a machine that is busy with something else `--busy` holds that one against the budget. Cold means that nobody has read these files before: the cache
of highlighted code is empty. First paint is Chromium's own figure (first contentful paint) against a running server,
in a fresh window without a cache, the files highlighted before; the page is on this machine, so the network costs
nothing.

SQLite in a scratch folder, or a new database on the PostgreSQL server that DATABASE_URL names; both are removed at the
end. Exit code 1 when a budget is missed.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

REPOSITORY = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(REPOSITORY))

from tests.browser.site import RunningSite  # noqa: E402 - the path is set above
from tests.speed import made  # noqa: E402
from tests.speed.figures import Figure, conclude  # noqa: E402
from tests.speed.ground import site_in_process  # noqa: E402

if TYPE_CHECKING:
    from django.test import Client
    from playwright.sync_api import Browser, Page

WARM_MS, COLD_MS, QUERIES, PAINT_MS, LIST_MS = 150.0, 500.0, 31, 1000.0, 100.0
INSTANCES = 500
FIRST_PAINT = "performance.getEntriesByName('first-contentful-paint')[0].startTime"
POINT = """() => {
  const names = [...document.querySelectorAll("[data-code-pane=lean] [data-name]")];
  const begun = performance.now();
  names.slice(0, 20).forEach((name) => name.dispatchEvent(new MouseEvent("mouseover", { bubbles: true })));
  return (performance.now() - begun) / Math.min(20, names.length);
}"""


@dataclass(frozen=True)
class Target:
    """One page to measure. `budgets` are warm and cold milliseconds and queries; None: told, not judged."""

    name: str
    path: str
    warm: float | None = None
    cold: float | None = None
    queries: float | None = None
    paint: float | None = None


# ---------- what is measured ----------


def load() -> dict[str, str]:
    """Import the made instances into the demo team; return the address of each page by a short name."""
    from curation.format.instance import load_files
    from curation.instances.actions.import_revision import import_revision
    from workbench.access.models import Team

    team = Team.objects.get(slug="demo")
    sizes: dict[str, tuple[made.Files, made.Files]] = {
        "long-1000": made.long_files("long-1000", 1_000),
        "long-10000": made.long_files("long-10000", 10_000),
        "giant-1000": made.giant("giant-1000", 1_000),
        "giant-10000": made.giant("giant-10000", 10_000),
        "small": made.wide("small", 3, 5),
        "wide": made.wide("wide", 30, 50),
    }
    for name, (files, source) in sizes.items():
        begun = time.perf_counter()
        done = import_revision(None, team, load_files(files, name), source_files=source)
        seconds = time.perf_counter() - begun
        print(
            f"made {name}: {done.revision.definition_count} definitions, imported in {seconds:.1f} s"
        )
    many_instances(team.pk, INSTANCES)
    return {name: f"/instances/{name}/" for name in sizes}


def many_instances(team: int, number: int) -> None:
    """Add `number` instances that share one snapshot: rows for the list, nothing to open."""
    from curation.instances.models import Instance, Revision

    like = Revision.objects.filter(is_current=True, instance__slug="ivalset").get()
    languages = ("python", "dafny", "verus", "coq")
    rows = Instance.objects.bulk_create(
        Instance(
            team_id=team,
            slug=f"bulk-{n:04}",
            benchmark_id=f"bulk-{n:04}",
            language=languages[n % 4],
            track=1 + n % 2,
        )
        for n in range(number)
    )
    Revision.objects.bulk_create(
        Revision(
            instance=row, number=1, snapshot_id=like.snapshot_id, root_package="Bulk", lean_version="4.29.1",
            definition_count=n, api_count=n % 30, spec_count=n % 90, warning_count=n % 5, error_count=n % 11 == 0,
        )
        for n, row in enumerate(rows)
    )  # fmt: skip


def definition_page(instance: str, name: str) -> str:
    from curation.instances.models import Definition

    found = Definition.objects.get(instance__slug=instance, lean_name=name)
    return f"/instances/{instance}/definitions/{found.pk}/"


def pair_targets() -> list[Target]:
    """Side-by-side pages. The 10,000 lines must be usable: they have no budget of their own, the warm one is held to."""
    judged = {"warm": WARM_MS, "cold": COLD_MS, "queries": QUERIES, "paint": PAINT_MS}
    return [
        Target(
            "one of many definitions, 1,000 lines a side",
            definition_page("long-1000", "Big.op020"),
            **judged,
        ),
        Target(
            "a definition that fills 1,000 lines a side",
            definition_page("giant-1000", "Big.giant"),
            **judged,
        ),
        Target(
            "one of many definitions, 10,000 lines a side",
            definition_page("long-10000", "Big.op200"),
            queries=QUERIES,
        ),
        Target(
            "a definition that fills 10,000 lines a side",
            definition_page("giant-10000", "Big.giant"),
            queries=QUERIES,
        ),
    ]


def list_targets() -> list[Target]:
    wide = "/instances/wide/"
    judged = {"warm": LIST_MS}
    return [
        Target("3,000 definitions, first page", f"{wide}definitions/", **judged),
        Target(
            "3,000 definitions, a page in the middle",
            middle_page(f"{wide}definitions/"),
            **judged,
        ),
        Target(
            "3,000 definitions, filtered",
            f"{wide}definitions/?kind=api&linked=yes",
            **judged,
        ),
        Target(
            "3,000 definitions, mentioned by no spec",
            f"{wide}definitions/?kind=api&spec=no",
            **judged,
        ),
        Target("3,000 definitions, words", f"{wide}definitions/?q=op02", **judged),
        Target("500 specs", f"{wide}specs/", **judged),
        Target("1,500 source items", f"{wide}source/", **judged),
        Target("instance page of 3,000 definitions", wide, **judged),
        Target(f"{INSTANCES} instances", "/instances/", **judged),
        Target(
            f"{INSTANCES} instances, filtered",
            "/instances/?language=python&state=clean",
            **judged,
        ),
        Target("home", "/", **judged),
        Target("search", "/search/?q=op02"),
    ]


def middle_page(path: str) -> str:
    """Return the address of the tenth page of the list at `path`."""
    client, address = browser_in_process(), path
    for _ in range(9):
        page = client.get(address).content.decode()
        before = page[: page.index('rel="next"')]
        address = path + before[before.rindex('href="') + 6 :].split('"')[0].replace(
            "&amp;", "&"
        )
    return address


# ---------- how it is measured ----------


def session_key() -> str:
    """Return the key of a session of the demo's curator."""
    from tests.case import open_sessions
    from workbench.access.models import User

    return open_sessions({"curator": User.objects.get(username="mira")})["curator"]


def browser_in_process() -> Client:
    """Return a client that is logged in as the demo's curator."""
    from django.conf import settings
    from django.test import Client

    client = Client(SERVER_NAME="127.0.0.1")
    client.cookies[settings.SESSION_COOKIE_NAME] = session_key()
    return client


def timed(
    name: str,
    budget: float | None,
    work: Callable[[], Any],
    runs: int,
    before: Callable[[], Any] = lambda: None,
) -> Figure:
    """Return the milliseconds that `work` takes; `before` runs before each of the `runs`, outside the time."""
    times, processor = [], []
    for _ in range(runs):
        before()
        begun, spent = time.perf_counter(), time.process_time()
        work()
        times.append(1000 * (time.perf_counter() - begun))
        processor.append(1000 * (time.process_time() - spent))
    median = statistics.median(times)
    return Figure(name, min(times), "ms", budget, median, min(processor))


def server_figures(target: Target, client: Client, runs: int) -> Iterator[Figure]:
    """Measure one page without a browser."""
    from django.core.cache import caches
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    def get() -> Any:
        answer = client.get(target.path)
        assert answer.status_code == 200, f"{target.path} answered {answer.status_code}"
        return answer

    if target.cold is not None or target.queries is not None:
        yield timed(
            f"{target.name}: server, cold",
            target.cold,
            get,
            max(3, runs // 3),
            caches["code"].clear,
        )
    get()
    yield timed(f"{target.name}: server, warm", target.warm, get, runs)
    with CaptureQueriesContext(connection) as captured:
        answer = get()
    yield Figure(f"{target.name}: queries", len(captured), "", target.queries)
    yield Figure(f"{target.name}: HTML", len(answer.content) / 1000, "kB")


def fixed_queries(client: Client) -> Iterator[Figure]:
    """Compare the number of queries of lists of a small and of a large instance."""
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    for page in (
        "definitions/",
        "specs/",
        "source/",
        "findings/",
        "files/",
        "history/",
        "",
    ):
        counts = []
        for name in ("small", "wide"):
            with CaptureQueriesContext(connection) as captured:
                client.get(f"/instances/{name}/{page}")
            counts.append(len(captured))
        small, large = counts
        yield Figure(
            f"{page or 'instance page'}: queries, of 15 and of 1,500 APIs",
            large,
            "",
            small,
        )


@contextmanager
def chromium_open() -> Iterator[Browser]:
    from playwright.sync_api import sync_playwright

    from workbench.setup import chromium

    if obstacle := chromium.obstacle():
        sys.exit(f"no Chromium: {obstacle}; --no-browser leaves first paint out")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=chromium.program(), args=chromium.arguments()
        )
        yield browser
        browser.close()


def paint_figures(
    target: Target, browser: Browser, site: RunningSite, key: str, runs: int
) -> Iterator[Figure]:
    """Measure one page in fresh windows."""
    paints, pointing = [], 0.0
    for number in range(runs + 1):
        window = browser.new_context(
            base_url=site.address, viewport={"width": 1440, "height": 900}
        )
        window.add_cookies([{"name": "sessionid", "value": key, "url": site.address}])
        page: Page = window.new_page()
        page.goto(target.path)
        while page.evaluate(f"!({FIRST_PAINT.removesuffix('.startTime')})"):
            time.sleep(0.02)
        if number:  # the first one warms the server
            paints.append(page.evaluate(FIRST_PAINT))
        pointing = page.evaluate(POINT)
        window.close()
    yield Figure(
        f"{target.name}: first paint",
        min(paints),
        "ms",
        target.paint,
        statistics.median(paints),
    )
    yield Figure(f"{target.name}: pointing at a name", pointing, "ms")


def figures(site: RunningSite, runs: int, with_browser: bool) -> Iterator[Figure]:
    """Measure everything."""
    load()
    pairs, lists, client = pair_targets(), list_targets(), browser_in_process()
    client.get("/events/")  # templates of the frame are compiled
    for target in [*pairs, *lists]:
        yield from server_figures(target, client, runs)
    yield from fixed_queries(client)
    if with_browser:
        key = session_key()
        with chromium_open() as browser:
            for target in pairs:
                yield from paint_figures(target, browser, site, key, max(3, runs // 3))


def main() -> int:
    """Print the figures; return the exit code."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--runs", type=int, default=15, metavar="N")
    parser.add_argument(
        "--no-browser", action="store_true", help="leave first paint out"
    )
    parser.add_argument(
        "--busy", action="store_true", help="judge processor time instead"
    )
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    with site_in_process() as site:
        from django.db import connections

        print(f"database: {connections['default'].vendor}")
        measured = figures(site, options.runs, not options.no_browser)
        code = conclude(measured, as_json=options.json, busy=options.busy)
    return code


if __name__ == "__main__":
    raise SystemExit(main())
