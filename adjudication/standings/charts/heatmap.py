"""Specs by run: what became of each spec of an instance in each of its best runs, grouped by module."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from itertools import groupby

from adjudication.standings.charts.picture import Picture, Value, cut, svg_of, text

_NAME, _MODE, _TOP, _HIGH, _GAP, _GROUP = 204, 196, 22, 16, 2, 6
PROVED, REFUTED, FAILED, UNFILLED = "proved", "refuted", "failed", "unfilled"


@dataclass(frozen=True)
class Run:
    """One run as a row: its number, its configuration and mode in words, and its address."""

    number: int
    name: str
    mode: str
    href: str


@dataclass(frozen=True)
class Spec:
    """One spec as a column, with what all current runs made of it: passed, of them refuted, runs, and reasons of the rest."""

    name: str
    module: str
    passed: int
    refuted: int
    runs: int
    reasons: str


@dataclass(frozen=True)
class Square:
    """What became of a spec in a run: its outcome, and which of the four shapes that is."""

    outcome: str
    shape: str


Squares = Mapping[tuple[int, int], Square]


def heatmap(
    runs: Sequence[Run],
    specs: Sequence[Spec],
    squares: Squares,
    note: str,
    sentence: str,
    *,
    whole: bool = False,
) -> Picture:
    """Return the picture; `squares` by number of run and of spec. `whole` gives the table a column for each run."""
    head = ["spec", "module", "passed", "refuted", "runs", "why the others did not"]
    if whole:
        head += [f"run {run.number}: {run.name}, {run.mode}" for run in runs]
    rows: list[tuple[Value, ...]] = []
    for column, spec in enumerate(specs):
        row: list[Value] = [spec.name, spec.module, spec.passed, spec.refuted, spec.runs, spec.reasons]  # fmt: skip
        if whole:
            for number in range(len(runs)):
                square = squares.get((number, column))
                row.append(square.outcome if square else None)
        rows.append(tuple(row))
    return Picture(
        "specs",
        "Specs by run",
        note,
        _draw(runs, specs, squares) if runs and specs else "",
        tuple(head),
        tuple(rows) if runs else (),
        sentence,
        empty="No submission to this instance was graded yet.",
        legend="outcomes",
    )


def _draw(runs: Sequence[Run], specs: Sequence[Spec], squares: Squares) -> str:
    wide = 14 if len(specs) <= 64 else 9 if len(specs) <= 110 else 6
    places: list[float] = []
    parts: list[str] = []
    x = float(_NAME)
    for module, group in groupby(specs, key=lambda spec: spec.module):
        begin = x
        for _ in group:
            places.append(x)
            x += wide + _GAP
        if (room := int((x - begin) / 6.5)) >= 3:
            parts.append(text(begin, 11, cut(module or "(no module)", room)))
        parts.append(f'<path d="M{begin:g} 16.5H{x - _GAP:g}" class="axis"/>')
        x += _GROUP
    for r, run in enumerate(runs):
        y = _TOP + r * (_HIGH + _GAP)
        parts.append(
            f'<text x="0" y="{y + 12}" class="strong">{escape(cut(run.name, 18))}<title>{escape(run.name)}, run {run.number}</title></text>'
        )
        parts.append(text(_MODE, y + 12, run.mode, ' text-anchor="end"'))
        for c, spec in enumerate(specs):
            square = squares.get((r, c))
            if square is not None:
                parts.append(_square(square, run, spec, places[c], y, wide, (r, c)))
    label = f"Outcomes of {len(specs)} specs in {len(runs)} runs; arrow keys move. The table holds the numbers."
    height = _TOP + len(runs) * (_HIGH + _GAP)
    return svg_of(x, height, label, parts, ' data-grid=""')


def _square(
    square: Square,
    run: Run,
    spec: Spec,
    x: float,
    y: float,
    wide: int,
    at: tuple[int, int],
) -> str:
    """Return one square: full, with a cross, half, or pale."""
    fill = {PROVED: "f-full", REFUTED: "f-bad"}.get(square.shape, "f-cell")
    shape = f'<rect x="{x:g}" y="{y:g}" width="{wide}" height="{_HIGH}" class="{fill}"/>'  # fmt: skip
    if square.shape == REFUTED:
        arm, middle = min(3, wide / 2 - 1), x + wide / 2
        shape += f'<path d="M{middle - arm:g} {y + 5:g}l{2 * arm:g} 6m0 -6l{-2 * arm:g} 6" class="cross"/>'
    elif square.shape == FAILED:
        shape += (
            f'<rect x="{x:g}" y="{y + 9:g}" width="{wide}" height="7" class="f-part"/>'
        )
    words = escape(f"{spec.name}, run {run.number}, {run.name}, {run.mode}: {square.outcome}")  # fmt: skip
    return f'<a href="{escape(run.href)}?open={escape(spec.name)}" data-at="{at[0]} {at[1]}"><title>{words}</title>{shape}</a>'
