"""Where lines that somebody spoke about stand today. Pure.

A conversation keeps the text and the lines it was about. Nothing is stored when the text changes: the two texts are
compared, and the lines are looked for again. Whitespace does not count; lines that moved as a block are followed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from workbench.code.diff import Options, compare
from workbench.code.lines import split_lines
from workbench.code.pane import LineRange

LONGEST_QUOTE = 2_000
"""Characters of the lines that a conversation keeps to be read where they are gone."""


@dataclass(frozen=True, slots=True)
class LineMap:
    """Where the lines of one text are in another, both counted from 1. What is not in `lines` is gone."""

    lines: Mapping[int, int]
    blank: frozenset[int]

    @classmethod
    def between(cls, old: str, new: str) -> LineMap:
        """Return where the lines of `old` stand in `new`; what differs in whitespace only stands."""
        found: dict[int, int] = {}
        for row in compare(
            _ended(old), _ended(new), Options(ignore_whitespace=True)
        ).rows:
            if row.old is None:
                continue
            if row.same and row.new is not None:
                found[row.old.number] = row.new.number
            elif row.old.moved is not None:
                found[row.old.number] = row.old.moved
        blank = {
            number
            for number, line in enumerate(split_lines(_ended(old)).lines, 1)
            if not line.strip()
        }
        return cls(found, frozenset(blank))

    def where(self, first: int, last: int) -> LineRange | None:
        """Return the lines where `first` to `last` stand, None when they are gone.

        Of several lines one that has text and still stands is enough: the conversation stands from the first of
        those to the last that follows it.
        """
        wanted = [number for number in range(first, last + 1) if number in self.lines]
        if any(number not in self.blank for number in range(first, last + 1)):
            wanted = [number for number in wanted if number not in self.blank]
        if not wanted:
            return None
        start = end = self.lines[wanted[0]]
        for number in wanted[1:]:
            target = self.lines[number]
            if end < target <= start + 2 * (last - first) + 1:
                end = target
        return LineRange(start, end)


def quoted(text: str, first: int, last: int) -> str:
    """Return lines `first` to `last` of `text`, cut at `LONGEST_QUOTE` characters with "…" behind.

    Raises `ValueError` with what was expected when `text` has no such lines.
    """
    lines = split_lines(_ended(text)).lines
    if not 1 <= first <= last <= len(lines):
        raise ValueError(
            f"lines {first} to {last}: expected lines between 1 and {len(lines)}, the first before the last"
        )
    quote = "\n".join(lines[first - 1 : last])
    return quote if len(quote) <= LONGEST_QUOTE else f"{quote[:LONGEST_QUOTE]}…"


def _ended(text: str) -> str:
    """Return `text` with its last line end: texts are kept without it."""
    return f"{text}\n"


def find_quote(text: str, quote: str, near: int) -> LineRange | None:
    """Return the lines of `text` that read as `quote` but for whitespace, those nearest to line `near`; None if none.

    For texts whose earlier state is not kept: a quote is all that is left to go by.
    """
    lines = [" ".join(line.split()) for line in split_lines(_ended(text)).lines]
    wanted = [" ".join(line.split()) for line in quote.split("\n")]
    if wanted[-1].endswith("…") and len(quote) > LONGEST_QUOTE:
        wanted = wanted[:-1] or [wanted[0][:-1]]
    if not any(wanted):
        return None
    size = len(wanted)
    starts = [
        start
        for start in range(len(lines) - size + 1)
        if lines[start : start + size] == wanted
    ]
    if not starts:
        return None
    best = min(starts, key=lambda start: abs(start + 1 - near))
    return LineRange(best + 1, best + size)
