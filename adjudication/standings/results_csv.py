"""Read tables of reported results: passed specs per instance, one column a configuration and mode. No database.

```
track,instance,specs,NAME_cp,NAME_po,…      _cp: codeproof, _po: proof; an empty cell is missing, which is not 0
```
A table of costs has the columns `column,cost_usd`; its rows name the columns of the results.
"""

from __future__ import annotations

import csv
import io
import re
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from itertools import pairwise

MODES = {"_cp": "codeproof", "_po": "proof"}
_HEAD = ("track", "instance", "specs")
_WHOLE = re.compile(r"[0-9]{1,9}")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9 ._/-]{0,99}")
_MOST_ROWS, _MOST_COLUMNS, _MOST_BYTES = 20_000, 400, 8 << 20


class TableError(ValueError):
    """The table cannot be taken. The text names line and column, what is there, and what was expected."""


@dataclass(frozen=True)
class Column:
    """One column of results: `key` is its heading, `name` the configuration in it: "harness / model / effort", or less."""

    key: str
    name: str
    mode: str


@dataclass(frozen=True)
class Row:
    """One instance: passed specs by column key; what the table left empty is not in it. `line` is its place in the file."""

    line: int
    name: str
    track: int | None
    specs: int
    passed: dict[str, int]


@dataclass(frozen=True)
class Results:
    """A whole table, columns and rows in its order."""

    columns: tuple[Column, ...]
    rows: tuple[Row, ...]


def read_results(data: bytes) -> Results:
    """Return the results in a CSV file. Raises TableError for the first thing that is wrong."""
    lines = _lines(data)
    head = [cell.strip() for cell in lines[0][1]]
    columns = _columns(head)
    rows: dict[str, Row] = {}
    for number, cells in lines[1:]:
        row = _row(number, head, cells, columns)
        if row.name in rows:
            raise TableError(
                f"line {number}, column instance: {row.name} is in line {rows[row.name].line} already"
            )
        rows[row.name] = row
    if not rows:
        raise TableError("the table has a head and no rows")
    return Results(columns, tuple(rows.values()))


def read_costs(data: bytes, columns: tuple[Column, ...]) -> dict[str, Decimal]:
    """Return the US dollars by column key. Raises TableError."""
    lines = _lines(data)
    head = [cell.strip() for cell in lines[0][1]]
    if head != ["column", "cost_usd"]:
        raise TableError(
            f"line 1: expected the columns column,cost_usd; found {','.join(head)[:80]}"
        )
    known = {column.key for column in columns}
    costs: dict[str, Decimal] = {}
    for number, cells in lines[1:]:
        if len(cells) != 2:
            raise TableError(
                f"line {number}: expected 2 cells, found {len(cells)}{_commas(2, cells)}"
            )
        key, text = cells[0].strip(), cells[1].strip()
        if key not in known:
            raise TableError(
                f"line {number}, column column: {key[:60]!r} is no column of the results"
            )
        if key in costs:
            raise TableError(f"line {number}: {key} is in the table twice")
        costs[key] = _money(number, text)
    return costs


def _money(number: int, text: str) -> Decimal:
    try:
        value = (
            Decimal(text) if re.fullmatch(r"[0-9]{1,8}(\.[0-9]{1,6})?", text) else None
        )
    except InvalidOperation:
        value = None
    if value is None:
        raise TableError(
            f"line {number}, column cost_usd: expected dollars such as 2865 or 2865.50, found {text[:40]!r}"
        )
    return value


def _lines(data: bytes) -> list[tuple[int, list[str]]]:
    """Return (line number, cells) of every line that holds something."""
    if len(data) > _MOST_BYTES:
        raise TableError(f"the file has more than {_MOST_BYTES:,} bytes")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise TableError(f"the file is not UTF-8: {error.reason}") from None
    if "\0" in text:
        raise TableError("the file holds NUL characters; expected a CSV table")
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    lines = []
    try:
        for cells in reader:
            if any(cell.strip() for cell in cells):
                lines.append((reader.line_num, cells))
            if len(lines) > _MOST_ROWS:
                raise TableError(f"the table has more than {_MOST_ROWS:,} rows")
    except csv.Error as error:
        raise TableError(f"line {reader.line_num}: is not CSV: {error}") from None
    if not lines:
        raise TableError("the file is empty; expected a CSV table")
    return lines


def _commas(expected: int, cells: list[str]) -> str:
    """Return a hint where the cells that are too many look like the halves of numbers."""
    halves = any(
        a.strip().isdigit() and b.strip().isdigit() for a, b in pairwise(cells)
    )
    if len(cells) <= expected or not halves:
        return ""
    return "; a comma ends a cell, so numbers are written without: 1234, or 2865.50 for dollars"


def _columns(head: list[str]) -> tuple[Column, ...]:
    if len(head) == 1 and ";" in head[0]:
        raise TableError("line 1: cells are separated by semicolons; expected commas")
    if tuple(head[:3]) != _HEAD:
        raise TableError(
            f"line 1: expected the columns {', '.join(_HEAD)} first; found {', '.join(head[:3])[:80]}"
        )
    found: dict[str, Column] = {}
    places: set[tuple[str, str]] = set()
    if len(head) > _MOST_COLUMNS:
        raise TableError(f"line 1: the table has more than {_MOST_COLUMNS} columns")
    for key in head[3:]:
        mode = MODES.get(key[-3:])
        name = " ".join(key[:-3].split())
        if mode is None or not _NAME.fullmatch(name):
            raise TableError(
                f"line 1: {key[:60]!r} is no column of results; expected a name and _cp or _po"
            )
        if (name, mode) in places:
            raise TableError(f"line 1: the column {key} is there twice")
        places.add((name, mode))
        found[key] = Column(key, name, mode)
    if not found:
        raise TableError("line 1: there is no column of results, such as NAME_cp")
    return tuple(found.values())


def _row(
    number: int, head: list[str], cells: list[str], columns: tuple[Column, ...]
) -> Row:
    if len(cells) != len(head):
        raise TableError(
            f"line {number}: expected {len(head)} cells, found {len(cells)}{_commas(len(head), cells)}"
        )
    values = dict(zip(head, (cell.strip() for cell in cells), strict=True))
    name = values["instance"]
    if not _NAME.fullmatch(name):
        raise TableError(
            f"line {number}, column instance: expected a name of letters, digits and ._/-, found {name[:40]!r}"
        )
    track = values["track"]
    if track not in ("", "1", "2"):
        raise TableError(
            f"line {number}, column track: expected 1, 2 or nothing, found {track[:40]!r}"
        )
    specs = _whole(number, "specs", values["specs"])
    if specs == 0:
        raise TableError(f"line {number}, column specs: {name} has no specs")
    passed = {}
    for column in columns:
        if values[column.key] == "":
            continue
        count = _whole(number, column.key, values[column.key])
        if count > specs:
            raise TableError(
                f"line {number}, column {column.key}: {count} passed of {specs} specs"
            )
        passed[column.key] = count
    return Row(number, name, int(track) if track else None, specs, passed)


def _whole(number: int, column: str, text: str) -> int:
    if not _WHOLE.fullmatch(text):
        raise TableError(
            f"line {number}, column {column}: expected a whole number such as 1234, found {text[:40]!r}"
        )
    return int(text)
