"""The full-solve matrix: instances × rows of a board, grouped by how many rows solve an instance in full."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from itertools import groupby

from adjudication.standings.charts.picture import Picture, Value, cut, svg_of, text

NEAR = 5
_WIDE, _HIGH, _GAP, _GROUP, _BAND = 16, 22, 2, 5, 10
_TOP, _NAME, _MODE = 132, 200, 172


@dataclass(frozen=True)
class Row:
    """One row of a board: its configuration, mode and basis in words."""

    name: str
    mode: str
    basis: str


@dataclass(frozen=True)
class Column:
    """One instance, how many rows of the whole board solve it in full, and how many of its specs are disputed."""

    name: str
    solvers: int
    disputed: int = 0


@dataclass(frozen=True)
class Cell:
    """What a row has on an instance; `href` leads to what is behind it."""

    passed: int
    specs: int
    href: str


Cells = Mapping[tuple[int, int], Cell]


def matrix(
    rows: Sequence[Row], columns: Sequence[Column], cells: Cells, left_out: str = ""
) -> Picture:
    """Return the matrix; `cells` by number of row and column, None was not handed in. `left_out` says what is not drawn.

    Instances stand by how many rows solve them, then by the share that all rows pass of them.
    """
    shares: dict[int, float] = defaultdict(float)
    for (_, n), one in cells.items():
        shares[n] += one.passed / one.specs
    ordered = sorted(
        range(len(columns)),
        key=lambda n: (-columns[n].solvers, -shares[n], columns[n].name),
    )
    head = ("instance", "solved by", *(_heading(row) for row in rows))
    table: list[tuple[Value, ...]] = []
    for n in ordered:
        passed = tuple(
            f"{cell.passed} of {cell.specs}" if (cell := cells.get((r, n))) else None
            for r in range(len(rows))
        )
        table.append((columns[n].name, columns[n].solvers, *passed))
    return Picture(
        "matrix",
        "Full-solve matrix",
        f"grouped by how many of {len(rows)} solve it",
        _draw(rows, columns, cells, ordered) if rows and columns else "",
        head,
        tuple(table),
        " ".join(filter(None, (_sentence(rows, columns), left_out))),
        empty="Nothing was handed in or reported yet.",
        legend="matrix",
    )


def _heading(row: Row) -> str:
    return f"{row.name}, {row.mode}" + (
        "" if row.basis == "verified" else f", {row.basis}"
    )


def _sentence(rows: Sequence[Row], columns: Sequence[Column]) -> str:
    if not rows or not columns:
        return ""
    none = sum(1 for column in columns if column.solvers == 0)
    every = sum(1 for column in columns if column.solvers == len(rows))
    return f"{every} of {len(columns)} are solved by every row, {none} by none."


def _draw(
    rows: Sequence[Row], columns: Sequence[Column], cells: Cells, ordered: Sequence[int]
) -> str:
    places, x = {}, float(_NAME)
    parts: list[str] = []
    for solvers, group in groupby(ordered, key=lambda n: columns[n].solvers):
        begin = x
        for n in group:
            places[n] = x
            x += _WIDE + _GAP
        parts.append(text(begin, 11, str(solvers), ' class="strong"'))
        parts.append(
            f'<path d="M{begin:g} 16.5H{x - _GAP:g}" class="axis" stroke-width="1"/>'
        )
        x += _GROUP
    for n in ordered:
        middle = places[n] + _WIDE / 2 + 3
        name = escape(cut(columns[n].name, 18)) + (" ◆" if columns[n].disputed else "")
        parts.append(
            f'<text transform="translate({middle:g} {_TOP - 6}) rotate(-90)">{name}</text>'
        )
    y, before = float(_TOP), rows[0].basis
    for r, row in enumerate(rows):
        if row.basis != before:
            y, before = y + _BAND, row.basis
        parts += _label(row, y)
        for column, n in enumerate(ordered):
            cell = cells.get((r, n))
            if cell is not None:
                parts.append(
                    _cell(cell, row, columns[n].name, places[n], y, (r, column))
                )
        y += _HIGH + _GAP
    label = f"Full solves, {len(columns)} instances by {len(rows)} configurations and modes; arrow keys move. The table holds the numbers."
    return svg_of(x, y, label, parts, ' data-grid=""')


def _label(row: Row, y: float) -> list[str]:
    words = f'<text x="0" y="{y + 15:g}" class="strong">{escape(cut(row.name, 20))}<title>{escape(_heading(row))}</title></text>'
    return [words, text(_MODE + 20, y + 15, row.mode, ' text-anchor="end"')]


def _cell(
    cell: Cell, row: Row, column: str, x: float, y: float, at: tuple[int, int]
) -> str:
    """Return one cell: full, a height by share, the number left when few are, a dash for nothing."""
    words = escape(f"{column}, {_heading(row)}: {cell.passed} of {cell.specs}")
    left = cell.specs - cell.passed
    if left == 0:
        shape = f'<rect x="{x:g}" y="{y:g}" width="{_WIDE}" height="{_HIGH}" class="f-full"/>'
    else:
        shape = f'<rect x="{x:g}" y="{y:g}" width="{_WIDE}" height="{_HIGH}" class="f-cell"/>'
        high = round(_HIGH * cell.passed / cell.specs) if cell.passed else 0
        if high:
            shape += f'<rect x="{x:g}" y="{y + _HIGH - high:g}" width="{_WIDE}" height="{high}" class="f-part"/>'
        if cell.passed == 0:
            shape += f'<path d="M{x + 5.5:g} {y + 11.5:g}h5" class="axis"/>'
        elif left <= NEAR:
            shape += text(
                x + _WIDE / 2,
                y + 15,
                str(left),
                ' text-anchor="middle" class="strong"',
            )
    return f'<a href="{escape(cell.href)}" data-at="{at[0]} {at[1]}"><title>{words}</title>{shape}</a>'
