"""The dashboard of one instance: who passed what, which specs are hard, why specs fail, how it went.

Counted are the current runs of submissions that are shown. Those on an adaptation to pocket Lean are told here and marked,
though no board counts them. All is kept in memory until a run ends, another is current or the instance has another
revision: outcomes of a run never change.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, Q, QuerySet, Sum
from django.urls import reverse

from adjudication.grading.outcomes import PRECEDENCE
from adjudication.runs.models import GradingRun, Outcome
from adjudication.runs.selectors.run_page import tone_of
from adjudication.standings.charts import heatmap as drawn
from adjudication.standings.charts import history as past
from adjudication.standings.charts.picture import Picture
from adjudication.standings.charts.table import tabled
from adjudication.standings.selectors.kept import kept
from adjudication.standings.selectors.pictures import MODE_WORDS
from curation.instances.models import Definition, Placement, Revision

MOST_ROWS, MOST_SQUARES, MOST_PAST, HARDEST, TOP = 30, 3_600, 500, 10, 8
_AGENT = "submission__configuration__"


@dataclass(frozen=True)
class CurrentRun:
    """One current run, with the configuration behind it."""

    pk: int
    mode: str
    passed: int
    specs: int
    full: bool
    revision: int
    adapted: bool
    agent: int
    slug: str
    name: str
    short: str


@dataclass(frozen=True)
class Grade:
    """A configuration in one mode on the instance: its current runs, how many are full solves, and its best."""

    slug: str
    name: str
    mode: str
    runs: int
    full: int
    best: CurrentRun


@dataclass(frozen=True)
class Reason:
    """Why specs failed: an outcome, its tone, how often, and on how many specs in three runs or more."""

    outcome: str
    tone: str
    count: int
    often: int


@dataclass(frozen=True)
class Dashboard:
    """What stands on the instance. `tried` counts outcomes, `failed` those that did not pass."""

    runs: int
    grades: Sequence[Grade]
    specs: Picture
    history: Picture
    tallies: Sequence[drawn.Spec]
    reasons: Sequence[Reason]
    tried: int
    failed: int

    @property
    def top(self) -> Sequence[Grade]:
        """The first grades, for a small table."""
        return self.grades[:TOP]

    @property
    def hardest(self) -> list[drawn.Spec]:
        """The specs that the smallest share of runs pass, of those that any run misses."""
        missed = [one for one in self.tallies if one.runs > one.passed]
        missed.sort(key=lambda one: (one.passed / one.runs, -one.runs, one.name))
        return missed[:HARDEST]

    @property
    def walls(self) -> list[drawn.Spec]:
        """The specs that were tried and that no run passes."""
        return [one for one in self.tallies if one.runs and not one.passed]

    def by_name(self, name: str) -> Picture | None:
        """Return the picture that downloads call `name`."""
        return {one.name: one for one in (self.specs, self.history)}.get(name)


def dashboard(
    revision: Revision, mode: str = "", *, rows: int = MOST_ROWS, whole: bool = False
) -> Dashboard:
    """Return the dashboard of `revision`'s instance, of `mode` where it is given. One query, six where something moved.

    `rows` runs are drawn, the best ones; `whole` draws all, for a download.
    """
    applied = _applied(revision, mode)
    now = Q(is_current=True)
    sums = applied.order_by().aggregate(
        all=Count("pk"),
        keys=Sum("pk"),
        current=Count("pk", filter=now),
        current_keys=Sum("pk", filter=now),
    )
    stamp = (revision.pk, *sums.values())
    key = f"dashboard-{revision.instance_id}-{mode}-{rows}"

    def make() -> Dashboard:
        runs = _current_runs(applied.filter(is_current=True))
        return _made(revision, runs, applied, rows, whole)

    return make() if whole else kept(key, stamp, make)


def _applied(revision: Revision, mode: str) -> QuerySet[GradingRun]:
    """Return the runs of the instance that counted at any time, of `mode` where it is given, hidden submissions left out."""
    rows = GradingRun.objects.applied().filter(
        instance=revision.instance_id, submission__hidden=False
    )
    return rows.filter(submission__mode=mode) if mode else rows


def _current_runs(rows: QuerySet[GradingRun]) -> list[CurrentRun]:
    """Return the current runs, best first, then newest. One query."""
    parts = [f"{_AGENT}{part}" for part in ("harness", "model", "effort")]
    found = []
    for row in rows.order_by("-passed_count", "-pk").values_list(
        "pk", "submission__mode", "passed_count", "spec_count", "full_solve", "revision__number", "adaptation",
        "submission__configuration", f"{_AGENT}slug", *parts,
    ):  # fmt: skip
        pk, run_mode, passed, specs, full, number, adaptation, agent, slug = row[:9]
        harness, model, effort = row[9:]
        found.append(
            CurrentRun(
                pk=pk,
                mode=run_mode,
                passed=passed,
                specs=specs,
                full=full,
                revision=number,
                adapted=adaptation is not None,
                agent=agent,
                slug=slug,
                name=" / ".join(filter(None, (harness, model, effort))),
                short=" ".join(filter(None, (model, effort))) or harness,
            )
        )
    return found


def _made(
    revision: Revision,
    runs: Sequence[CurrentRun],
    applied: QuerySet[GradingRun],
    rows: int,
    whole: bool,
) -> Dashboard:
    places = list(
        Placement.objects.filter(revision=revision, kind=Definition.SPEC)
        .order_by("position")
        .values_list("definition", "definition__lean_name", "module")
    )
    counts = _counted([run.pk for run in runs])
    specs = [
        _tally(name, module, counts[pk] + counts[name]) for pk, name, module in places
    ]
    if not whole:
        rows = min(rows, max(1, MOST_SQUARES // max(1, len(specs))))
    shown = runs if whole else runs[:rows]
    numbers: dict[Place, int] = {}
    for number, (pk, name, _) in enumerate(places):
        numbers[pk] = numbers[name] = number
    reasons = _reasons(counts.values())
    return Dashboard(
        runs=len(runs),
        grades=_grades(runs),
        specs=tabled(
            drawn.heatmap(
                _heads(shown),
                specs,
                _squares(shown, numbers),
                _note(revision, len(specs), len(shown), len(runs)),
                _sentence(specs, len(runs)),
                whole=whole,
            )
        ),
        history=tabled(_history(applied)),
        tallies=specs,
        reasons=reasons,
        tried=sum(outcomes.total() for outcomes in counts.values()),
        failed=sum(reason.count for reason in reasons),
    )


def _note(revision: Revision, specs: int, shown: int, runs: int) -> str:
    if shown < runs:
        return f"{specs} specs of r{revision.number}, the best {shown} of {runs} current runs"
    return f"{specs} specs of r{revision.number}, {runs} current {'run' if runs == 1 else 'runs'}"


Place = int | str
"""A spec: its definition, or its name where the outcome has none."""


def _counted(runs: Sequence[int]) -> dict[Place, Counter[str]]:
    """Return how often each spec had which outcome; what passed by another route than a proof is "refuted". One query."""
    counts: dict[Place, Counter[str]] = defaultdict(Counter)
    rows = (
        Outcome.objects.filter(run__in=list(runs))
        .order_by()
        .values_list("definition", "spec", "outcome", "route")
        .annotate(number=Count("pk"))
    )
    for definition, spec, outcome, route, number in rows:
        word = "refuted" if _refutes(outcome, route) else outcome
        counts[spec if definition is None else definition][word] += number
    return counts


def _reasons(counts: Iterable[Counter[str]]) -> list[Reason]:
    """Return why specs failed, most frequent first."""
    total: Counter[str] = Counter()
    often: Counter[str] = Counter()
    for outcomes in counts:
        for outcome, number in outcomes.items():
            if outcome not in ("passed", "refuted"):
                total[outcome] += number
                often[outcome] += number >= 3
    order: dict[str, int] = {name: n for n, name in enumerate(PRECEDENCE)}
    names = sorted(total, key=lambda name: (-total[name], order.get(name, 0)))
    return [Reason(name, tone_of(name), total[name], often[name]) for name in names]


def _refutes(outcome: str, route: str) -> bool:
    return outcome == "passed" and route not in ("", "prove")


def _tally(name: str, module: str, outcomes: Counter[str]) -> drawn.Spec:
    passed = outcomes["passed"] + outcomes["refuted"]
    rest = {word: n for word, n in outcomes.items() if word not in ("passed", "refuted")}  # fmt: skip
    listed = sorted(rest.items(), key=lambda one: (-one[1], one[0]))
    words = ", ".join(f"{word} {number}" for word, number in listed)
    return drawn.Spec(
        name, module, passed, outcomes["refuted"], outcomes.total(), words
    )


def _heads(runs: Sequence[CurrentRun]) -> list[drawn.Run]:
    shared: dict[str, set[int]] = defaultdict(set)
    for run in runs:
        shared[run.short].add(run.agent)
    return [
        drawn.Run(
            run.pk,
            (run.name if len(shared[run.short]) > 1 else run.short)
            + (", adapted" if run.adapted else ""),
            MODE_WORDS[run.mode],
            reverse("runs:detail", args=[run.pk]),
        )
        for run in runs
    ]


def _squares(
    runs: Sequence[CurrentRun], numbers: Mapping[Place, int]
) -> dict[tuple[int, int], drawn.Square]:
    """Return what each drawn run made of the specs that the revision still has. One query."""
    places = {run.pk: number for number, run in enumerate(runs)}
    found = {}
    rows = Outcome.objects.filter(run__in=list(places)).order_by()
    for run, definition, spec, outcome, route in rows.values_list(
        "run", "definition", "spec", "outcome", "route"
    ):
        column = numbers.get(definition if definition is not None else spec)
        if column is None:
            continue
        if outcome == "passed":
            shape = drawn.REFUTED if _refutes(outcome, route) else drawn.PROVED
        else:
            shape = drawn.UNFILLED if outcome == "unfilled" else drawn.FAILED
        word = f"passed by {route}" if shape == drawn.REFUTED else outcome
        found[places[run], column] = drawn.Square(word, shape)
    return found


def _grades(runs: Sequence[CurrentRun]) -> list[Grade]:
    """Return the runs by configuration and mode, most full solves first, then the best run."""
    grouped: dict[tuple[int, str], list[CurrentRun]] = defaultdict(list)
    for run in runs:
        grouped[run.agent, run.mode].append(run)
    found = [
        Grade(
            some[0].slug,
            some[0].name,
            some[0].mode,
            len(some),
            sum(run.full for run in some),
            some[0],
        )
        for some in grouped.values()
    ]
    return sorted(
        found, key=lambda one: (-one.full, -one.best.passed, one.name, one.mode)
    )


def _sentence(specs: Sequence[drawn.Spec], runs: int) -> str:
    if not runs:
        return ""
    every = sum(1 for one in specs if one.runs and one.passed == one.runs)
    walls = [one.name for one in specs if one.runs and not one.passed]
    untried = sum(1 for one in specs if not one.runs)
    words = f"{every} of {len(specs)} specs are passed by every run that tried them, {len(walls)} by none"
    return f"{words}; {untried} were never tried." if untried else f"{words}."


def _history(runs: QuerySet[GradingRun]) -> Picture:
    """Return how it went: gradings and applied regrades, also those that another replaced. One query."""
    rows = runs.exclude(finished_at=None)
    listed = list(
        rows.order_by("-finished_at", "-pk").values_list(
            "finished_at", "submission__mode", "passed_count", "spec_count", "full_solve", "revision__number"
        )
    )  # fmt: skip
    ended = [
        past.Ended(at, MODE_WORDS[mode], passed / specs if specs else 0.0)
        for at, mode, passed, specs, _, _ in reversed(listed[:MOST_PAST])
        if at is not None
    ]
    grouped: dict[int, list[tuple[Any, ...]]] = defaultdict(list)
    for row in listed:
        grouped[row[5]].append(row)
    stages = [
        past.Stage(
            number,
            len(some),
            sum(row[4] for row in some),
            max(row[2] for row in some),
            max(row[3] for row in some),
            f"{some[-1][0]:%d %b %Y}",
            f"{some[0][0]:%d %b %Y}",
        )
        for number, some in sorted(grouped.items(), reverse=True)
    ]
    return past.history(ended, stages, max(0, len(listed) - MOST_PAST))
