"""The grades of one instance: what its current runs say, by configuration and by spec."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Count, Max, Q

from adjudication.grading.outcomes import PRECEDENCE
from adjudication.runs.models import GradingRun, Outcome
from adjudication.runs.selectors.run_page import tone_of
from curation.instances.models import Instance

MOST_RUNS = 40
_FILL = {"ok": "f-full", "warn": "f-warn", "bad": "f-bad", "off": "f-cell"}
CELL, GAP, LEFT, TOP = 14, 2, 220, 4


@dataclass(frozen=True)
class GradeRow:
    """One configuration in one mode on this instance: its current runs."""

    slug: str
    name: str
    mode: str
    runs: int
    full: int
    best: int
    specs: int


def grade_rows(instance: Instance) -> list[GradeRow]:
    """Return the current runs by configuration and mode, best first. One query."""
    agent = "submission__configuration__"
    rows = (
        instance.runs.filter(is_current=True, submission__hidden=False)
        .order_by()
        .values(
            f"{agent}slug",
            f"{agent}harness",
            f"{agent}model",
            f"{agent}effort",
            "submission__mode",
        )
        .annotate(
            number=Count("pk"),
            full=Count("pk", filter=Q(full_solve=True)),
            best=Max("passed_count"),
            specs=Max("spec_count"),
        )
    )
    found = [
        GradeRow(
            row[f"{agent}slug"],
            " / ".join(
                filter(
                    None,
                    (row[f"{agent}{part}"] for part in ("harness", "model", "effort")),
                )
            ),
            row["submission__mode"],
            row["number"],
            row["full"],
            row["best"],
            row["specs"],
        )
        for row in rows
    ]
    return sorted(found, key=lambda row: (-row.full, -row.best, row.name, row.mode))


@dataclass(frozen=True)
class Square:
    """One spec in one run, with its place in the picture."""

    run: int
    spec: str
    outcome: str
    fill: str
    x: int
    y: int
    row: int
    column: int


@dataclass(frozen=True)
class SpecLine:
    """One spec over the runs shown: how many passed, and why the others did not."""

    spec: str
    passed: int
    runs: int
    reasons: Sequence[tuple[str, int]]
    y: int
    definition: int | None
    squares: Sequence[Square]

    @property
    def failed(self) -> int:
        return self.runs - self.passed


@dataclass(frozen=True)
class Heatmap:
    """Specs as rows, runs as columns; the newest runs are at the left. Sizes are in pixels."""

    runs: Sequence[GradingRun]
    lines: Sequence[SpecLine]
    width: int
    height: int
    more: int

    @property
    def hardest(self) -> list[SpecLine]:
        """The specs that the fewest runs solved."""
        missed = [line for line in self.lines if line.failed]
        return sorted(missed, key=lambda line: (line.passed / line.runs, line.spec))[
            :10
        ]


def heatmap(instance: Instance, mode: str = "") -> Heatmap:
    """Return spec × run of the newest current runs, at most MOST_RUNS, of `mode` where it is given. Three queries."""
    current = instance.runs.filter(is_current=True, submission__hidden=False)
    if mode:
        current = current.filter(submission__mode=mode)
    chosen = current.select_related("submission__configuration").order_by("-pk")
    runs = list(chosen[:MOST_RUNS])
    outcomes = (
        Outcome.objects.filter(run__in=[run.pk for run in runs])
        .order_by("position")
        .values_list("run_id", "spec", "outcome", "definition_id")
    )
    columns = {run.pk: number for number, run in enumerate(runs)}
    found: dict[str, list[tuple[int, str, int | None]]] = defaultdict(list)
    for run, spec, outcome, definition in outcomes:
        found[spec].append((run, outcome, definition))
    lines = [
        _line(number, spec, cells, columns)
        for number, (spec, cells) in enumerate(found.items())
    ]
    step = CELL + GAP
    return Heatmap(
        runs,
        lines,
        LEFT + step * len(runs) + GAP,
        TOP + step * len(lines) + GAP,
        max(0, current.count() - len(runs)),
    )


def _line(
    number: int,
    spec: str,
    cells: list[tuple[int, str, int | None]],
    columns: dict[int, int],
) -> SpecLine:
    step = CELL + GAP
    y = TOP + number * step
    squares = [
        Square(
            run,
            spec,
            outcome,
            _FILL[tone_of(outcome)],
            LEFT + columns[run] * step,
            y,
            number,
            columns[run],
        )
        for run, outcome, _ in sorted(cells, key=lambda cell: columns[cell[0]])
    ]
    counts = Counter(outcome for _, outcome, _ in cells)
    passed = counts.pop("passed", 0)
    reasons = sorted(
        counts.items(), key=lambda pair: (-pair[1], PRECEDENCE.index(pair[0]))
    )
    definition = next((one for _, _, one in cells if one is not None), None)
    return SpecLine(spec, passed, len(cells), reasons, y, definition, squares)


def failure_reasons(map_: Heatmap) -> list[tuple[str, int, str]]:
    """Return outcome, how often and its tone over the runs shown, most frequent first."""
    total: Counter[str] = Counter()
    for line in map_.lines:
        total.update(dict(line.reasons))
    return [(name, number, tone_of(name)) for name, number in total.most_common()]
