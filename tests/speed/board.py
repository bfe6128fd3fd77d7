"""How fast boards and instance pages are over many current outcomes. Prints figures beside their budgets.

    DATABASE_URL=postgres://… python tests/speed/board.py [--outcomes N] [--runs N] [--busy] [--json]

A hundred configurations in both modes on a hundred instances of a hundred specs: two million current outcomes, written in
bulk; `--outcomes` makes fewer, by fewer instances. First that the roll-ups are true: the cells of the board equal the query
over all outcomes, and `rebuild-standings` restores them after they were damaged. Then the pages inside this process: the
slowest twentieth of N requests is held against the budget (with `--busy` the processor time of this process and of its
connection's in the database), and beside it stands how many times longer the query over all outcomes takes.

A new database on the PostgreSQL server that DATABASE_URL names, removed at the end; without DATABASE_URL SQLite, for which
two million are many. Exit code 1 when a budget is missed.
"""

from __future__ import annotations

import argparse
import io
import os
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING, Any

REPOSITORY = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(REPOSITORY))

from tests.speed.figures import Figure, conclude  # noqa: E402 - the path is set above
from tests.speed.ground import site_in_process  # noqa: E402
from tests.speed.made_results import even, fill  # noqa: E402
from tests.speed.pages import browser_in_process  # noqa: E402

if TYPE_CHECKING:
    from adjudication.standings.models import InstanceSet

OUTCOMES, AGENTS, SPECS = 2_000_000, 100, 100
PAGE_MS = 100.0
Rows = set[tuple[Any, ...]]

# What the roll-ups must equal, asked of the outcomes themselves. One run counts a place here: everybody handed in once.
_RAW = """
SELECT m.id, s.configuration_id, s.mode, COUNT(*) FILTER (WHERE o.outcome = 'passed'), COUNT(*)
FROM runs_outcome o
JOIN runs_gradingrun r ON r.id = o.run_id
JOIN runs_submission s ON s.id = r.submission_id
JOIN standings_setmember m ON m.instance_id = r.instance_id
WHERE m.set_id = %s AND r.is_current AND NOT s.hidden AND r.adaptation_id IS NULL
GROUP BY m.id, s.configuration_id, s.mode
"""
_REASONS = """
SELECT m.id, s.configuration_id, s.mode, o.outcome, COUNT(*)
FROM runs_outcome o
JOIN runs_gradingrun r ON r.id = o.run_id
JOIN runs_submission s ON s.id = r.submission_id
JOIN standings_setmember m ON m.instance_id = r.instance_id
WHERE m.set_id = %s AND r.is_current AND NOT s.hidden AND r.adaptation_id IS NULL AND o.outcome <> 'passed'
GROUP BY m.id, s.configuration_id, s.mode, o.outcome
"""


def asked(sql: str, found: InstanceSet) -> tuple[Rows, float]:
    """Return the rows of a query, and its milliseconds."""
    from django.db import connection

    begun = time.perf_counter()
    with connection.cursor() as cursor:
        cursor.execute(sql, [found.pk])
        rows = set(cursor.fetchall())
    return rows, 1000 * (time.perf_counter() - begun)


def held(found: InstanceSet) -> tuple[Rows, Rows]:
    """Return what the cells say, in the form of `_RAW` and of `_REASONS`."""
    counts: Rows = set()
    reasons: Rows = set()
    cells = found.cells.filter(basis="verified")
    for *place, passed, specs, text in cells.values_list(
        "member", "configuration", "mode", "passed", "specs", "failures"
    ):
        counts.add((*place, passed, specs))
        for line in filter(None, text.split("\n")):
            outcome, _, number = line.partition(" ")
            reasons.add((*place, outcome, int(number)))
    return counts, reasons


def differing(found: InstanceSet, raw: tuple[Rows, Rows]) -> int:
    """Return how many rows are in one of both and not in the other."""
    return sum(
        len(ours ^ theirs) for ours, theirs in zip(held(found), raw, strict=True)
    )


def truth_figures(found: InstanceSet) -> Iterator[Figure]:
    """Compare the roll-ups with the outcomes: as made, damaged, rebuilt, and after a run has ended."""
    from django.core.management import call_command
    from django.db import transaction

    from adjudication.runs.models import GradingRun, Outcome
    from adjudication.standings.cells import refresh_cells

    (counts, first), (reasons, second) = asked(_RAW, found), asked(_REASONS, found)
    yield Figure("the board from all outcomes, no roll-up", first + second, "ms")
    wrong = differing(found, (counts, reasons))
    yield Figure("cells that differ from the outcomes", wrong, "", 0)
    cells = found.cells.filter(basis="verified").order_by("pk")
    some = list(cells.values_list("pk", flat=True)[:300])
    cells.filter(pk__in=some[:100]).delete()
    cells.filter(pk__in=some[100:200]).update(passed=0)
    cells.filter(pk__in=some[200:]).update(failures="sorry 1000")
    damaged = differing(found, (counts, reasons))
    yield Figure("of 300 cells that were damaged, differ", min(damaged, 300), "")
    begun = time.perf_counter()
    with redirect_stdout(io.StringIO()):
        call_command("rebuild_standings", "--set", found.slug)
    yield Figure("rebuild-standings", time.perf_counter() - begun, "s")
    wrong = differing(found, (counts, reasons))
    yield Figure("cells that differ after rebuild-standings", wrong, "", 0)
    run = GradingRun.objects.filter(instance__memberships__set=found).order_by("pk")[7]
    Outcome.objects.filter(run=run).update(outcome="passed")
    GradingRun.objects.filter(pk=run.pk).update(passed_count=SPECS, full_solve=True)
    run.refresh_from_db()
    begun, spent = time.perf_counter(), time.process_time()
    with transaction.atomic():
        refresh_cells(run)
    yield Figure(
        "a run moves its cell",
        1000 * (time.perf_counter() - begun),
        "ms",
        PAGE_MS,
        processor=1000 * (time.process_time() - spent),
    )
    wrong = differing(found, (asked(_RAW, found)[0], asked(_REASONS, found)[0]))
    yield Figure("cells that differ after that run", wrong, "", 0)


def database_seconds() -> float:
    """Return the processor seconds of our connection's process, 0 where it is not PostgreSQL on this machine."""
    from django.db import connection

    if connection.vendor != "postgresql":
        return 0.0
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        stat = Path("/proc") / str(cursor.fetchone()[0]) / "stat"
    if not stat.exists():
        return 0.0
    fields = stat.read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def paged(
    name: str,
    get: Callable[[], Any],
    runs: int,
    budget: float | None = None,
    before: Callable[[], Any] = lambda: None,
) -> Figure:
    """Return the slowest twentieth of `runs` requests, with their median; processor time is that of both processes."""
    get()
    times, processor = [], []
    database = database_seconds()
    for _ in range(runs):
        before()
        begun, spent = time.perf_counter(), time.process_time()
        get()
        times.append(1000 * (time.perf_counter() - begun))
        processor.append(1000 * (time.process_time() - spent))
    # The clock of other processes is coarse: the database's share is that of all requests together.
    share = 1000 * (database_seconds() - database) / runs
    processors = _p95(processor) + share
    return Figure(name, _p95(times), "ms", budget, statistics.median(times), processors)


def _p95(values: list[float]) -> float:
    return sorted(values)[int(0.95 * (len(values) - 1))]


def page_figures(found: InstanceSet, runs: int) -> Iterator[Figure]:
    """Measure the pages, and count their queries."""
    from django.core.cache import caches
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    client = browser_in_process()
    client.get("/events/")  # templates of the frame are compiled
    board = f"/boards/{found.slug}/"
    instance = "board-0007"
    agent = found.cells.select_related("configuration").all()[0].configuration
    pages = (
        ("board, both modes", board, PAGE_MS),
        ("board of one mode", f"{board}?mode=proof", PAGE_MS),
        ("instance page", f"/instances/{instance}/", PAGE_MS),
        ("instance page, grades", f"/instances/{instance}/grades/", PAGE_MS),
        ("instance page, grades of one mode", f"/instances/{instance}/grades/?mode=proof", PAGE_MS),
        ("configuration page", f"/boards/configurations/{agent.slug}/", None),
        ("list of boards", "/boards/", None),
        ("board as JSON", f"{board}board.json", None),
        ("matrix as CSV, whole", f"{board}matrix.csv", None),
    )  # fmt: skip
    for name, path, budget in pages:

        def get(path: str = path) -> Any:
            answer = client.get(path)
            assert answer.status_code == 200, f"{path} answered {answer.status_code}"
            return answer

        few = max(3, runs // 4)
        yield paged(f"{name}, p95 of {runs}", get, runs if budget else few, budget)
        if budget:
            words = f"{name}, the first reader after it moved"
            yield paged(words, get, few, before=caches["default"].clear)
        with CaptureQueriesContext(connection) as captured:
            answer = get()
        slowest = max((float(row["time"]) for row in captured), default=0.0)
        yield Figure(f"{name}: queries", len(captured), "")
        yield Figure(f"{name}: the slowest of them", 1000 * slowest, "ms")
        yield Figure(f"{name}: HTML", len(answer.content) / 1000, "kB")


def figures(outcomes: int, runs: int) -> Iterator[Figure]:
    """Measure everything."""
    from workbench.access.models import Team

    instances = max(8, outcomes // (AGENTS * 2 * SPECS))
    begun = time.perf_counter()
    found, total = fill(
        Team.objects.get(slug="demo"), "Many", even(instances, AGENTS, SPECS)
    )
    seconds = time.perf_counter() - begun
    print(f"{total:,} current outcomes, made in {seconds:.0f} s", flush=True)
    yield Figure("cells of the board", found.cells.count(), "")
    whole = 0.0
    for figure in truth_figures(found):
        whole = whole or figure.value  # the first is the query over all outcomes
        yield figure
    for figure in page_figures(found, runs):
        yield figure
        if figure.budget is not None and figure.unit == "ms":
            yield Figure(
                f"the query over all outcomes takes so many times {figure.name.split(',')[0]}",
                whole / (figure.median or 1),
                "×",
            )


def main() -> int:
    """Print the figures; return the exit code."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--outcomes", type=int, default=OUTCOMES, metavar="N")
    parser.add_argument("--runs", type=int, default=60, metavar="N")
    parser.add_argument(
        "--busy", action="store_true", help="judge processor time instead"
    )
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    with site_in_process():
        from django.db import connections

        print(f"database: {connections['default'].vendor}")
        measured = figures(options.outcomes, options.runs)
        code = conclude(measured, as_json=options.json, busy=options.busy)
    return code


if __name__ == "__main__":
    raise SystemExit(main())
