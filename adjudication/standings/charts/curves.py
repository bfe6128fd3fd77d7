"""Cumulative full solves over elapsed time, where the time was recorded."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from adjudication.standings.charts.picture import Picture, Value, cut, svg_of, text

_LEFT, _RIGHT, _TOP, _BOTTOM, _WIDTH, _HEIGHT = 28.0, 450.0, 10.0, 276.0, 660.0, 300.0
MOST_CURVES = 12
_MARKS = (0.25, 0.5, 1, 2, 4, 8, 16, 24, 48, 96, 192, 384)
_STEPS = (0.05, 0.1, 0.25, 0.5, 1, 2, 4, 8, 12, 24, 48, 96, 192, 384)
_LABEL = 16.0


@dataclass(frozen=True)
class Series:
    """The full solves of one row of a board: hours until each whose time is known; `untimed` have none recorded."""

    name: str
    mode: str
    dashed: bool
    colour: int
    hours: tuple[float, ...]
    untimed: int


def curves(series: Sequence[Series]) -> Picture:
    """Return the curves of the rows with any recorded time, most full solves first, at most `MOST_CURVES` drawn."""
    timed = sorted((s for s in series if s.hours), key=lambda s: -len(s.hours))
    marks = _columns(max((s.hours[-1] for s in timed), default=0.0))
    head = (
        "configuration",
        "mode",
        "first, min",
        *(f"{mark:g} h" for mark in marks),
        "without a time",
    )
    rows: list[tuple[Value, ...]] = []
    for one in timed:
        counts = tuple(bisect_right(one.hours, mark) for mark in marks)
        rows.append(
            (one.name, one.mode, round(one.hours[0] * 60, 1), *counts, one.untimed)
        )
    return Picture(
        "curves",
        "Cumulative full solves over elapsed time",
        "solid code+proof, dashed proof",
        _draw(timed[:MOST_CURVES]) if timed else "",
        head,
        tuple(rows),
        _sentence(timed),
        keys=tuple(
            _line(one) if number < MOST_CURVES else ""
            for number, one in enumerate(timed)
        ),
        empty="No full solve has a recorded time. It comes with the submission, in its run.json.",
    )


def _columns(longest: float) -> tuple[float, ...]:
    """Return at most five hours at which to count: powers of two up to the first that takes in everything."""
    upto = next((n for n, mark in enumerate(_MARKS) if mark >= longest), len(_MARKS))
    return _MARKS[max(0, upto - 4) : upto + 1]


def _sentence(timed: Sequence[Series]) -> str:
    if not timed:
        return ""
    best = timed[0]
    tail = (
        f" The first {MOST_CURVES} of {len(timed)} rows are drawn."
        if len(timed) > MOST_CURVES
        else ""
    )
    ahead = [one for one in timed if len(one.hours) == len(best.hours)]
    solves = "full solve" if len(best.hours) == 1 else "full solves"
    who = (
        f"{best.name}, {best.mode}, is ahead with"
        if len(ahead) == 1
        else f"{len(ahead)} rows are ahead with"
    )
    return f"{who} {len(best.hours)} {solves} with a recorded time, the last after {_hours(best.hours[-1])}.{tail}"


def _hours(value: float) -> str:
    return f"{value * 60:.0f} min" if value < 1 else f"{value:.1f} h"


def _line(one: Series) -> str:
    return f"curve s{one.colour}c{' proof' if one.dashed else ''}"


def _draw(series: Sequence[Series]) -> str:
    longest = max(one.hours[-1] for one in series)
    most = max(len(one.hours) for one in series)
    rise = max(1, -(-most // 6))
    ceiling = rise * -(-most // rise)

    def x(hours: float) -> float:
        return _LEFT + (_RIGHT - _LEFT) * hours / longest

    def y(count: float) -> float:
        return _BOTTOM - (_BOTTOM - _TOP) * count / ceiling

    parts = []
    for count in range(0, ceiling + 1, rise):
        kind = "grid" if count else "axis"
        parts.append(f'<path d="M{_LEFT:g} {y(count):.1f}H{_RIGHT:g}" class="{kind}"/>')
        parts.append(
            text(_LEFT - 6, round(y(count) + 4, 1), str(count), ' text-anchor="end"')
        )
    step = next((one for one in _STEPS if longest / one <= 6), _STEPS[-1])
    for number in range(int(longest / step) + 1):
        hours = number * step
        words = f"{hours:g} h" if step >= 0.5 or not number else f"{hours * 60:g} min"
        parts.append(text(round(x(hours), 1), 294, words, ' text-anchor="middle"'))
    for one in reversed(series):
        path = f"M{_LEFT:g} {y(0):.1f}"
        for number, hours in enumerate(one.hours, 1):
            path += f"H{x(hours):.1f}V{y(number):.1f}"
        parts.append(f'<path d="{path}H{_RIGHT:g}" class="{_line(one)}"/>')
    places = _apart([y(len(one.hours)) for one in series], _BOTTOM - 2)
    for one, place in zip(series, places, strict=True):
        words = f"{len(one.hours)} {cut(one.name, 22)}, {one.mode}"
        parts.append(text(_RIGHT + 8, round(place + 4, 1), words, ' class="strong"'))
    label = "Cumulative full solves over elapsed hours. The table beside it holds the numbers."
    return svg_of(_WIDTH, _HEIGHT, label, parts)


def _apart(places: Sequence[float], lowest: float) -> list[float]:
    """Return the heights of labels, none on another and none below `lowest`; `places` go down the page."""
    found: list[float] = []
    for place in places:
        found.append(max(place, found[-1] + _LABEL) if found else place)
    for number in range(len(found) - 1, -1, -1):
        found[number] = min(found[number], lowest)
        lowest = found[number] - _LABEL
    return found
