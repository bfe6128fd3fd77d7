"""Stacked bars, one a row of a board: why specs failed, and what is solved in which mode."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from adjudication.standings.charts.picture import (
    Picture,
    Value,
    cut,
    listing,
    svg_of,
    text,
)

_NAME, _BAR, _HIGH, _PITCH = 210.0, 420.0, 16.0, 24.0
PAIRS = ("both", "code+proof only", "proof only", "neither")
_PAIR_FILLS = ("f-full", "f-2", "f-part", "f-cell")


@dataclass(frozen=True)
class Segment:
    """One part of a bar: what it is, how many, and its class of colour."""

    words: str
    count: int
    fill: str


@dataclass(frozen=True)
class Reasons:
    """What a row of a board did not pass: outcome → specs."""

    name: str
    mode: str
    counts: dict[str, int]


@dataclass(frozen=True)
class Pair:
    """The instances of one configuration by what was solved in full: in both modes, in one, in none (PAIRS)."""

    name: str
    counts: tuple[int, int, int, int]


def failures(rows: Sequence[Reasons], tones: dict[str, str]) -> Picture:
    """Return why specs failed; `tones` gives an outcome's tone, which gives its colour."""
    total: dict[str, int] = {}
    for row in rows:
        for outcome, count in row.counts.items():
            total[outcome] = total.get(outcome, 0) + count
    names = sorted(total, key=lambda name: (-total[name], name))
    fills = {
        name: {"off": "f-part", "warn": "f-warn"}.get(tones.get(name, ""), "f-bad")
        for name in names
    }
    table: list[tuple[Value, ...]] = [
        (
            row.name,
            row.mode,
            sum(row.counts.values()),
            *(row.counts.get(name, 0) for name in names),
        )
        for row in rows
    ]
    bars = [
        (
            f"{cut(row.name, 22)}, {row.mode}",
            [
                Segment(name, row.counts[name], fills[name])
                for name in names
                if row.counts.get(name)
            ],
        )
        for row in rows
    ]
    every = sum(total.values())
    return Picture(
        "failures",
        "Why specs failed",
        "specs of graded runs that did not pass; reported counts carry no reasons",
        _draw(bars, "Why specs failed, by configuration and mode")
        if rows and every
        else "",
        ("configuration", "mode", "not passed", *names),
        tuple(table) if every else (),
        f"{total[names[0]]:,} of {every:,} specs that did not pass are {names[0]}."
        if every
        else "",
        empty="Nothing graded here failed, or nothing was graded yet.",
        legend="failures",
    )


def pair_bars(pairs: Sequence[Pair]) -> Picture:
    """Return what each configuration that was tried in both modes solved in which."""
    table = tuple((pair.name, *pair.counts) for pair in pairs)
    sums = [sum(pair.counts[n] for pair in pairs) for n in range(4)]
    bars = [
        (
            cut(pair.name, 34),
            [
                Segment(words, count, fill)
                for words, count, fill in zip(
                    PAIRS, pair.counts, _PAIR_FILLS, strict=True
                )
                if count
            ],
        )
        for pair in pairs
    ]
    return Picture(
        "modes",
        "Outcome by mode",
        "full solves of one configuration on one instance",
        _draw(bars, "Full solves by mode, one bar a configuration") if pairs else "",
        ("configuration", *PAIRS),
        table,
        f"Of {sum(sums):,} pairs of a configuration and an instance, {sums[0]:,} are solved in both modes, {sums[1]:,} only with code, {sums[2]:,} only as proof, {sums[3]:,} in neither."
        if pairs
        else "",
        empty="No configuration has results in both modes.",
        legend="modes",
    )


def solvers(counts: Sequence[tuple[int, int]], none: Sequence[str]) -> Picture:
    """Return how many instances are solved by how many rows: (rows, instances), most first; `none` are solved by no row."""
    total = sum(count for _, count in counts)
    return Picture(
        "solvers",
        "Instances by solvers",
        "",
        "",
        ("solved by", "instances"),
        tuple(counts),
        f"{len(none)} of {total} are solved by none"
        + (f": {listing(none)}." if none else "."),
        empty="The set holds no instance.",
    )


def _draw(bars: Sequence[tuple[str, Sequence[Segment]]], label: str) -> str:
    longest = max((sum(s.count for s in segments) for _, segments in bars), default=0)
    parts: list[str] = []
    for number, (name, segments) in enumerate(bars):
        y = number * _PITCH
        parts.append(text(0, y + 12, name, ' class="strong"'))
        x, total = _NAME, sum(s.count for s in segments)
        for segment in segments:
            wide = _BAR * segment.count / longest if longest else 0.0
            shown = max(1.0, wide - 1)
            parts.append(
                f'<rect x="{x:.1f}" y="{y:g}" width="{shown:.1f}" height="{_HIGH:g}" class="{segment.fill}">'
                f"<title>{escape(f'{name}: {segment.words} {segment.count:,}')}</title></rect>"
            )
            if shown > 12 + 7 * len(str(segment.count)):
                dark = "strong" if segment.fill in ("f-part", "f-cell") else "on-fill"
                parts.append(
                    text(
                        round(x + 4, 1),
                        y + 12,
                        f"{segment.count:,}",
                        f' class="{dark}"',
                    )
                )
            x += wide
        parts.append(text(round(x + 6, 1), y + 12, f"{total:,}"))
    return svg_of(
        _NAME + _BAR + 48,
        max(_PITCH, len(bars) * _PITCH),
        f"{label}. The table holds the numbers.",
        parts,
    )
