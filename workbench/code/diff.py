"""Which rows of a comparison are shown: the changes with some lines around them, and gaps between. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from workbench.code.comparison import (
    Comparison,
    DiffLine,
    Kind,
    Options,
    Row,
    compare,
    renumbered,
)
from workbench.code.pane import SMALL, STEP, LineRange, Link, Opening, openings

__all__ = [
    "Comparison", "DiffLine", "FileDiff", "Gap", "Hunk", "Kind", "Options", "Row", "compare", "renumbered", "show",
    "show_gap",
]  # fmt: skip

CONTEXT = 3

MOST_ROWS = 2_000
"""Rows that one page shows at most: the rest is a click away, and the browser stays quick."""


@dataclass(frozen=True, slots=True)
class Hunk:
    """Rows that are shown together. `heading` is what a patch says they belong to."""

    rows: tuple[Row, ...]
    heading: str = ""
    is_gap = False

    @property
    def old(self) -> LineRange | None:
        """Return the lines of the old text in it, or None."""
        return _range([row.old.number for row in self.rows if row.old])

    @property
    def new(self) -> LineRange | None:
        """Return the lines of the new text in it, or None."""
        return _range([row.new.number for row in self.rows if row.new])

    def unified(self) -> Iterator[tuple[DiffLine, Row]]:
        """Yield the lines in the order of one column: of each change first what went, then what came."""
        waiting: list[tuple[DiffLine, Row]] = []
        for row in self.rows:
            if row.same and row.new:
                yield from waiting
                waiting = []
                yield row.new, row
                continue
            if row.old:
                yield row.old, row
            if row.new:
                waiting.append((row.new, row))
        yield from waiting


@dataclass(frozen=True, slots=True)
class Gap:
    """Unchanged lines that are not shown, `new` numbered as in the new text."""

    old: LineRange
    new: LineRange
    openings: tuple[Opening, ...] = ()
    is_gap = True


@dataclass(frozen=True, slots=True)
class FileDiff:
    """What a template shows. `notes` are sentences on what was overlooked or given up.

    `rows_left` rows did not fit; `more_url` shows them.
    """

    segments: tuple[Hunk | Gap, ...]
    added: int = 0
    removed: int = 0
    moved: int = 0
    notes: tuple[str, ...] = ()
    rows_left: int = 0
    more_url: str = ""

    @property
    def same(self) -> bool:
        """Return whether no line was added or removed."""
        return not self.added and not self.removed


def show(
    compared: Comparison,
    *,
    context: int = CONTEXT,
    opened: Sequence[LineRange] = (),
    link: Link | None = None,
    start: int = 0,
    more: Callable[[int], str] | None = None,
) -> FileDiff:
    """Return the changes with `context` unchanged lines around each, the rest as gaps.

    `opened` are lines of the new text that stay open. `link` gives the URL that opens lines of a gap. At most
    `MOST_ROWS` rows are shown, beginning with row `start` of the comparison; `more` gives the URL that shows the
    rows from a number on.
    """
    rows = compared.rows
    shown = _around_changes(rows, context, opened)
    end = _end_of_page(shown, start)
    lines = [
        line for row in rows if not row.same for line in (row.old, row.new) if line
    ]
    left = sum(shown[end:])
    return FileDiff(
        segments=tuple(_segments(rows[start:end], shown[start:end], link)),
        added=sum(line.kind is Kind.ADDED for line in lines),
        removed=sum(line.kind is Kind.REMOVED for line in lines),
        moved=sum(line.kind is Kind.ADDED and line.moved is not None for line in lines),
        notes=tuple(_notes(compared)),
        rows_left=left,
        more_url=more(end) if more and left else "",
    )


def show_gap(
    compared: Comparison,
    lines: LineRange,
    within: LineRange,
    *,
    link: Link | None = None,
) -> FileDiff:
    """Return what replaces the gap over `within` (lines of the new text) when `lines` of it are opened."""
    rows = [
        row
        for row in compared.rows
        if row.same and row.new and within.first <= row.new.number <= within.last
    ]
    last = min(lines.last, lines.first + STEP + 2 * SMALL)
    shown = [bool(row.new and lines.first <= row.new.number <= last) for row in rows]
    return FileDiff(tuple(_segments(rows, shown, link)))


def _around_changes(
    rows: Sequence[Row], context: int, opened: Sequence[LineRange]
) -> list[bool]:
    shown = [False] * len(rows)
    for index, row in enumerate(rows):
        margin = context if not row.same else 0
        if not row.same or _is_opened(row, opened):
            first, last = max(0, index - margin), min(len(rows), index + margin + 1)
            shown[first:last] = [True] * (last - first)
    return shown


def _end_of_page(shown: Sequence[bool], start: int) -> int:
    """Return the row after the last one that still fits, counted from `start`."""
    room = MOST_ROWS
    for index in range(start, len(shown)):
        room -= shown[index]
        if room < 0:
            return index
    return len(shown)


def _segments(
    rows: Sequence[Row], shown: Sequence[bool], link: Link | None
) -> list[Hunk | Gap]:
    segments: list[Hunk | Gap] = []
    start = 0
    shown = _without_small_gaps(shown)
    for index in range(1, len(rows) + 1):
        if index < len(rows) and shown[index] == shown[start]:
            continue
        part = tuple(rows[start:index])
        hunk = Hunk(part)
        if shown[start] or hunk.old is None or hunk.new is None:
            segments.append(hunk)
        else:
            segments.append(Gap(hunk.old, hunk.new, openings(hunk.new, link)))
        start = index
    return segments


def _without_small_gaps(shown: Sequence[bool]) -> list[bool]:
    """Return `shown` with hidden stretches of up to `SMALL` rows opened, unless nothing is shown at all."""
    closed = list(shown)
    start = 0
    for index in range(1, len(shown) + 1):
        if index < len(shown) and shown[index] == shown[start]:
            continue
        if not shown[start] and index - start <= SMALL and any(shown):
            closed[start:index] = [True] * (index - start)
        start = index
    return closed


def _is_opened(row: Row, opened: Sequence[LineRange]) -> bool:
    return row.new is not None and any(
        lines.first <= row.new.number <= lines.last for lines in opened
    )


def _range(numbers: Sequence[int]) -> LineRange | None:
    return LineRange(numbers[0], numbers[-1]) if numbers else None


def _notes(compared: Comparison) -> Iterator[str]:
    spaces = sum(row.ignored == "whitespace" for row in compared.rows)
    ends = sum(row.ignored == "line end" for row in compared.rows)
    if spaces:
        yield f"{_differ(spaces)} in whitespace only, not shown as changed."
    if ends:
        yield f"{_differ(ends)} in the line end only ({compared.old_line_ends} → {compared.new_line_ends})."
    if compared.coarse:
        yield "Too many repeated lines to compare closely: some unchanged lines may be shown as changed."
    if compared.whole_lines:
        yield "Too much has changed to compare word by word: whole lines are shown."


def _differ(count: int) -> str:
    return "1 line differs" if count == 1 else f"{count:,} lines differ"
