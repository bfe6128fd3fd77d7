"""How the best result on an instance grew with the runs: a step line for each mode."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from adjudication.standings.charts.picture import Picture, Value, svg_of, text

_LEFT, _RIGHT, _TOP, _BOTTOM, _WIDTH, _HEIGHT = 36.0, 470.0, 10.0, 130.0, 580.0, 152.0


@dataclass(frozen=True)
class Ended:
    """One ended run: when, its mode in words, and what share of the specs of its revision it passed."""

    at: datetime
    mode: str
    share: float


@dataclass(frozen=True)
class Stage:
    """The runs on one revision: how many, how many full solves, the best count of its specs, first and last day."""

    revision: int
    runs: int
    full: int
    best: int
    specs: int
    first: str
    last: str


def history(ended: Sequence[Ended], stages: Sequence[Stage], more: int) -> Picture:
    """Return the picture; `ended` oldest first, `stages` newest first; `more` runs are older than those drawn."""
    rows: list[tuple[Value, ...]] = [
        (f"r{one.revision}", one.runs, one.full, f"{one.best} of {one.specs}", one.first, one.last)
        for one in stages
    ]  # fmt: skip
    return Picture(
        "history",
        "History",
        "best share of specs so far; solid code+proof, dashed proof",
        _draw(ended) if ended else "",
        ("revision", "runs", "full solves", "best", "first", "last"),
        tuple(rows),
        _sentence(stages, more),
        empty="No run on this instance has ended yet.",
    )


def _sentence(stages: Sequence[Stage], more: int) -> str:
    if not stages:
        return ""
    runs, full = sum(one.runs for one in stages), sum(one.full for one in stages)
    words = f"{runs:,} ended {'run' if runs == 1 else 'runs'} on {len(stages)} {'revision' if len(stages) == 1 else 'revisions'}, {full:,} of them full solves."
    return f"{words} The {more:,} oldest are not drawn." if more else words


def _draw(ended: Sequence[Ended]) -> str:
    begin = ended[0].at
    span = max(1.0, (ended[-1].at - begin).total_seconds())

    def x(at: datetime) -> float:
        return _LEFT + (_RIGHT - _LEFT) * (at - begin).total_seconds() / span

    def y(share: float) -> float:
        return _BOTTOM - (_BOTTOM - _TOP) * share

    parts = []
    for share, words in ((0.0, "0"), (0.5, "50 %"), (1.0, "all")):
        kind = "grid" if share else "axis"
        parts.append(f'<path d="M{_LEFT:g} {y(share):.1f}H{_RIGHT:g}" class="{kind}"/>')
        parts.append(
            text(_LEFT - 6, round(y(share) + 4, 1), words, ' text-anchor="end"')
        )
    parts.append(text(_LEFT, 148, f"{begin:%d %b %Y}"))
    if ended[-1].at.date() != begin.date():
        last = f"{ended[-1].at:%d %b %Y}"
        parts.append(text(_RIGHT, 148, last, ' text-anchor="end"'))
    ends: list[tuple[float, str]] = []
    for mode in ("code+proof", "proof"):
        best, path = 0.0, ""
        for one in ended:
            if one.mode != mode:
                continue
            if not path:
                path = f"M{x(one.at):.1f} {y(0):.1f}"
            if one.share > best:
                best = one.share
                path += f"H{x(one.at):.1f}V{y(best):.1f}"
        if path:
            dash = " proof" if mode == "proof" else ""
            parts.append(f'<path d="{path}H{_RIGHT:g}" class="curve s1c{dash}"/>')
            ends.append((y(best), f"{100 * best:.0f} % {mode}"))
    before = -100.0
    for place, words in sorted(ends):
        before = max(place + 4, before + 14)
        parts.append(text(_RIGHT + 8, round(before, 1), words, ' class="strong"'))
    label = "Best share of specs passed so far, over time. The table holds the numbers."
    return svg_of(_WIDTH, _HEIGHT, label, parts)
