"""How fast the review loop is. Prints figures beside their budgets.

    python tests/speed/review.py [--runs N] [--seconds S] [--reviewers N] [--decide-every S] [--processes N]
                                 [--only queue|decision|together] [--busy] [--json]

First in this process, as pages.py does it: the queue over 50,000 entries (the best of N runs), and a decision with the
page that comes next (both requests together). Then against a real web server, two processes of uvicorn: so many
reviewers at once for S seconds, each with a session of their own over HTTP. Each reads what "Next for me" gave,
approves it every five seconds, and asks every five as open pages do: three times of four for what is new on the review
page, else for the queue's rows or to keep the lease. The times are those of their clients, which run on the same
machine (their processor time and PostgreSQL's are told); any answer that is not the one expected is an error. On a machine that does something else as well, the
processor time of the web processes a request is the figure to compare.

SQLite in a scratch folder, or a new database on the PostgreSQL server that DATABASE_URL names (the budget for many
reviewers is meant for that); both are removed at the end. Exit code 1 when a budget is missed.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

REPOSITORY = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(REPOSITORY))

from tests.browser.site import RunningSite  # noqa: E402 - the path is set above
from tests.speed import made  # noqa: E402
from tests.speed.figures import Figure, conclude  # noqa: E402
from tests.speed.ground import site_in_process  # noqa: E402
from tests.speed.pages import browser_in_process, middle_page, timed  # noqa: E402
from tests.speed.reviewers import (  # noqa: E402
    DECIDES_EVERY_S,
    POLLS_EVERY_S,
    Reviewing,
    accounts,
    review_together,
)

if TYPE_CHECKING:
    from django.test import Client

    from curation.instances.models import Placement
    from curation.reviews.models import QueueEntry

ENTRIES = 50_000
QUEUE_MS, DECISION_MS, TOGETHER_MS = 100.0, 200.0, 400.0
QUEUE_QUERIES = 14
WEB_PROCESSORS = 1.2  # of two; the database and the clients need the rest
# What 50 reviewers ask for (each decision with the page after it, and the polls) must fit into that.
REQUEST_PROCESSOR_MS = (
    1000 * WEB_PROCESSORS / (50 * (2 / DECIDES_EVERY_S + 1 / POLLS_EVERY_S))
)
POLL_PROCESSOR_MS, QUIET_QUERIES = 15.0, 3
_INSTANCES, _LOG_LINES = 25, 20
_QUEUE = "instance=wide"


def load() -> None:
    """Import an instance that can be read, and fill the queue up to `ENTRIES`."""
    from curation.format.instance import load_files
    from curation.instances.actions.import_revision import import_revision
    from curation.reviews.models import QueueEntry
    from workbench.access.models import Team

    team = Team.objects.get(slug="demo")
    files, source = made.wide("wide", 30, 50)
    import_revision(None, team, load_files(files, "wide"), source_files=source)
    missing = ENTRIES - QueueEntry.objects.count()
    for number in range(_INSTANCES):
        _fill(team.pk, number, missing // _INSTANCES + (number < missing % _INSTANCES))
    _know_the_tables()
    print(f"queue of {QueueEntry.objects.count():,} entries")


def _know_the_tables() -> None:
    """Do what autovacuum does in every installation: without it PostgreSQL plans as for empty tables."""
    from django.db import connection

    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("VACUUM ANALYZE")


def _fill(team: int, number: int, size: int) -> None:
    """Add an instance of `size` definitions that nobody can open: rows for the queue."""
    from curation.instances.models import (
        Definition,
        Instance,
        Placement,
        Revision,
        Translation,
    )
    from curation.reviews.models import QueueEntry
    from curation.reviews.risk import Facts, risk_of

    like = Revision.objects.filter(is_current=True, instance__slug="ivalset").get()
    kinds = [kind for kind, _ in Definition.KINDS if kind != Definition.HARNESS]
    states = [QueueEntry.OPEN] * 7 + [QueueEntry.APPROVED] * 2 + [QueueEntry.SENT_BACK]
    languages = ("python", "dafny", "verus", "coq")
    instance = Instance.objects.create(
        team_id=team, slug=f"fill-{number:02}", benchmark_id=f"fill-{number:02}", language=languages[number % 4],
    )  # fmt: skip
    revision = Revision.objects.create(
        instance=instance, number=1, snapshot_id=like.snapshot_id, root_package="Fill", lean_version="4.29.1",
        definition_count=size,
    )  # fmt: skip
    definitions = Definition.objects.bulk_create(
        Definition(instance=instance, lean_name=f"Fill.op{n:05}", path="Fill.lean")
        for n in range(size)
    )
    translations = Translation.objects.bulk_create(
        Translation(definition=row, number=1, lean_keyword="def", text="def x := 1", text_hash="0" * 64)
        for row in definitions
    )  # fmt: skip
    placements = Placement.objects.bulk_create(
        Placement(
            revision=revision, definition=row, translation=text, kind=kinds[n % 6], module=f"Part{n % 30:02}",
            line_start=n + 1, line_end=n + 1, position=n,
        )
        for n, (row, text) in enumerate(zip(definitions, translations, strict=True))
    )  # fmt: skip
    QueueEntry.objects.bulk_create(
        _entry(row, n, states[n % 10], *risk_of(Facts(row.kind, n % 80, users=n % 12, link="sure")))
        for n, row in enumerate(placements)
    )  # fmt: skip


def _entry(row: Placement, n: int, state: str, risk: int, words: str) -> QueueEntry:
    from curation.reviews.models import QueueEntry

    return QueueEntry(
        definition_id=row.definition_id, instance_id=row.revision.instance_id, placement=row, kind=row.kind,
        module=row.module, state=state, depth=n % 9, risk=risk, risk_words=words, skipped=n % 40 == 0,
        dropped=state == QueueEntry.OPEN and n % 15 == 0,
    )  # fmt: skip


# ---------- in this process ----------


def queue_figures(client: Client, runs: int) -> Iterator[Figure]:
    """Measure the queue page under several filters, and its queries."""
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    for name, query in (
        ("all that waits", ""),
        ("a page in the middle", middle_page("/review/").removeprefix("/review/")),
        ("of one instance", "?instance=fill-03"),
        ("filtered by four facets", "?kind=spec&kind=api&risk=medium&assignee=nobody"),
        ("every state", "?state=open&state=approved&state=sent_back&state=exempt"),
        ("words", "?q=op0042"),
    ):

        def get(query: str = query) -> None:
            answer = client.get(f"/review/{query}")
            assert answer.status_code == 200, f"{query} answered {answer.status_code}"

        get()
        yield timed(f"queue of {ENTRIES:,}, {name}", QUEUE_MS, get, runs)
        with CaptureQueriesContext(connection) as captured:
            get()
        yield Figure(f"queue, {name}: queries", len(captured), "", QUEUE_QUERIES + 1)
    fragment = {"HX-Request": "true", "HX-Target": "queue-rows"}
    yield timed(
        "rows of the queue alone, as live updates ask",
        QUEUE_MS,
        lambda: client.get("/review/", headers=fragment),
        runs,
    )
    yield timed("home, with the queue", None, lambda: client.get("/"), runs)
    yield timed(
        "instance page of 3,000 definitions, with its progress",
        None,
        lambda: client.get("/instances/wide/"),
        runs,
    )


def decision_figures(client: Client, runs: int) -> Iterator[Figure]:
    """Measure a decision together with the page it leads to, and the lease alone."""
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    reviewing = Reviewing(client)
    reviewing.begin(_QUEUE)
    yield timed(
        "a decision and the next definition on screen (two requests)",
        DECISION_MS,
        reviewing.approve_and_go_on,
        runs,
    )
    yield timed(
        "the form of the decision alone",
        None,
        reviewing.approve,
        runs,
        before=reviewing.go_on,
    )
    reviewing.go_on()
    yield timed("the review page alone", None, reviewing.go_on, runs)
    yield timed("what is new on the review page", None, reviewing.poll, runs)
    stamp = reviewing.poll()
    quiet = timed(
        "nothing new on the review page", None, lambda: reviewing.poll(stamp), runs
    )
    yield quiet
    assert quiet.processor is not None
    yield Figure("nothing new: processor", quiet.processor, "ms", POLL_PROCESSOR_MS)
    with CaptureQueriesContext(connection) as captured:
        reviewing.poll(stamp)
    yield Figure("nothing new: queries", len(captured), "", QUIET_QUERIES)


# ---------- many at once ----------


def together_figures(
    site: RunningSite, reviewers: int, seconds: float, pause: float, processes: int
) -> Iterator[Figure]:
    """Let so many reviewers work at once; judge the slowest twentieth of each kind of request."""
    from curation.reviews.models import Review

    print(f"load of the machine before: {os.getloadavg()[0]:.1f}", flush=True)
    before = Review.objects.count()
    found = review_together(
        site,
        accounts(reviewers),
        queue=_QUEUE,
        seconds=seconds,
        processes=processes,
        pause=pause,
    )
    for name, times in found.times.items():
        ordered = sorted(times)
        p95 = ordered[int(len(ordered) * 0.95)] if ordered else 0.0
        median = ordered[len(ordered) // 2] if ordered else 0.0
        yield Figure(
            f"{reviewers} reviewers, {processes} web processes: {name}, p95 of {len(times)}",
            p95,
            "ms",
            TOGETHER_MS,
            median,
        )
    decided = Review.objects.count() - before
    yield Figure(f"{reviewers} reviewers: requests a second", found.rate, "")
    yield Figure(
        f"{reviewers} reviewers: processors that the web processes kept busy",
        found.processor_s / seconds,
        "",
        WEB_PROCESSORS,
    )
    yield Figure(
        f"{reviewers} reviewers: processor of the web processes a request",
        1000 * found.processor_s / max(found.requests, 1),
        "ms",
        REQUEST_PROCESSOR_MS,
    )
    for whose, spent in (("PostgreSQL", found.database_s), ("they", found.reviewers_s)):
        yield Figure(
            f"{reviewers} reviewers: processors that {whose} kept busy",
            spent / seconds,
            "",
        )
    yield Figure(f"{reviewers} reviewers: decisions that count", decided, "")
    yield Figure(
        f"{reviewers} reviewers: decisions lost or doubled",
        abs(decided - found.decided),
        "",
        0,
    )
    yield Figure(f"{reviewers} reviewers: errors", len(found.errors), "", 0)
    for error in found.errors[:5]:
        print(f"     error: {error}", flush=True)
    if found.errors:
        print("\n".join(site.log.read_text().splitlines()[-_LOG_LINES:]), flush=True)


def figures(site: RunningSite, options: argparse.Namespace) -> Iterator[Figure]:
    """Measure everything, or `options.only`."""
    load()
    client = browser_in_process()
    client.get("/events/")  # templates of the frame are compiled
    if options.only in (None, "queue"):
        yield from queue_figures(client, options.runs)
    if options.only in (None, "decision"):
        yield from decision_figures(client, options.runs)
    if options.only in (None, "together"):
        yield from together_figures(
            site,
            options.reviewers,
            options.seconds,
            options.decide_every,
            options.processes,
        )


def main() -> int:
    """Print the figures; return the exit code."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--runs", type=int, default=15, metavar="N")
    parser.add_argument("--seconds", type=float, default=90, metavar="S")
    parser.add_argument("--reviewers", type=int, default=50, metavar="N")
    parser.add_argument(
        "--decide-every", type=float, default=DECIDES_EVERY_S, metavar="S"
    )
    parser.add_argument("--processes", type=int, default=2, metavar="N")
    parser.add_argument("--only", choices=("queue", "decision", "together"))
    parser.add_argument(
        "--busy", action="store_true", help="judge processor time instead"
    )
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    with site_in_process() as site:
        from django.db import connections

        print(f"database: {connections['default'].vendor}")
        measured = figures(site, options)
        code = conclude(measured, as_json=options.json, busy=options.busy)
    return code


if __name__ == "__main__":
    raise SystemExit(main())
