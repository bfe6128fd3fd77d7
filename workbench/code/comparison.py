"""What changed between two texts, as rows that can be shown in one column or two. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from workbench.code.align import MATCHER, Block, Matcher, align
from workbench.code.lines import TextLines, split_lines
from workbench.code.moves import find_moves
from workbench.code.words import Columns, changed_words, pair_lines

WORD_LIMIT = 4_000
"""Lines longer than this are compared as a whole."""

WORD_BUDGET = 400_000
"""Changed characters of a file above which all its lines are compared as a whole."""

_BLANKS = re.compile(r"[ \t]+")


class Kind(StrEnum):
    """How a line came to be here. The value is its CSS class."""

    SAME = "same"
    ADDED = "add"
    REMOVED = "del"


@dataclass(frozen=True, slots=True)
class DiffLine:
    """One line of one side.

    `number` is its number in its file, `end` its line end (`""`: no newline at the end of the file). `words` are the
    columns that changed. `moved` is the line of the other side that it went to or came from.
    """

    kind: Kind
    number: int
    text: str
    end: str = "\n"
    words: Columns = ()
    moved: int | None = None


@dataclass(frozen=True, slots=True)
class Row:
    """A line of the old text beside a line of the new one. `ignored` says how an equal-looking pair differs."""

    old: DiffLine | None
    new: DiffLine | None
    ignored: str = ""

    @property
    def same(self) -> bool:
        """Return whether nothing changed here."""
        return self.old is not None and self.old.kind is Kind.SAME


@dataclass(frozen=True, slots=True)
class Options:
    """What to overlook. What was overlooked is counted and said."""

    ignore_whitespace: bool = False
    ignore_line_ends: bool = True


@dataclass(frozen=True, slots=True)
class Comparison:
    """All rows of two texts, unchanged ones included."""

    rows: tuple[Row, ...]
    options: Options
    old_line_ends: str
    new_line_ends: str
    coarse: bool
    whole_lines: bool = False


def compare(
    old: str, new: str, options: Options | None = None, matcher: Matcher = MATCHER
) -> Comparison:
    """Return all rows of `old` beside `new`. The time is bounded: see `align`."""
    options = options or Options()
    left, right = split_lines(old), split_lines(new)
    blocks, coarse = align(_keys(left, options), _keys(right, options), matcher)
    size = _changed_size(left, right, blocks)
    limit = WORD_LIMIT if size <= WORD_BUDGET else 0
    rows: list[Row] = []
    i = j = 0
    for a, b, size in [*blocks, (len(left.lines), len(right.lines), 0)]:
        gone = _lines(left, Kind.REMOVED, i, a)
        come = _lines(right, Kind.ADDED, j, b)
        rows += changed_rows(gone, come, matcher, limit)
        rows += [_unchanged(left, right, a + n, b + n) for n in range(size)]
        i, j = a + size, b + size
    return Comparison(
        _with_moves(rows), options, left.style, right.style, coarse, not limit
    )


def renumbered(compared: Comparison, old_first: int, new_first: int) -> Comparison:
    """Return `compared` with its lines numbered from `old_first` and `new_first` on, as in the files they are from."""

    def shifted(line: DiffLine | None, by: int, other: int) -> DiffLine | None:
        if line is None:
            return None
        moved = None if line.moved is None else line.moved + other
        return replace(line, number=line.number + by, moved=moved)

    old_by, new_by = old_first - 1, new_first - 1
    rows = tuple(
        replace(
            row,
            old=shifted(row.old, old_by, new_by),
            new=shifted(row.new, new_by, old_by),
        )
        for row in compared.rows
    )
    return replace(compared, rows=rows)


def changed_rows(
    gone: Sequence[DiffLine],
    come: Sequence[DiffLine],
    matcher: Matcher = MATCHER,
    limit: int = WORD_LIMIT,
) -> Iterator[Row]:
    """Yield the rows of one change: lines that are alike stand beside each other, with their changed words.

    Lines longer than `limit` get no words.
    """
    pairs = pair_lines([line.text for line in gone], [line.text for line in come])
    for i, j in pairs:
        if i is None or j is None:
            yield Row(None if i is None else gone[i], None if j is None else come[j])
            continue
        old, new = gone[i], come[j]
        if max(len(old.text), len(new.text)) <= limit:
            old_words, new_words = changed_words(old.text, new.text, matcher)
            old, new = replace(old, words=old_words), replace(new, words=new_words)
        yield Row(old, new)


def _keys(text: TextLines, options: Options) -> list[tuple[str, str]]:
    """Return what is compared of each line."""
    keys: list[tuple[str, str]] = []
    for line, end in zip(text.lines, text.ends, strict=True):
        if options.ignore_whitespace:
            keys.append((_BLANKS.sub(" ", line).strip(" "), ""))
        elif options.ignore_line_ends:
            keys.append((line, "" if end else "none"))
        else:
            keys.append((line, end))
    return keys


def _unchanged(left: TextLines, right: TextLines, i: int, j: int) -> Row:
    ignored = ""
    if left.lines[i] != right.lines[j]:
        ignored = "whitespace"
    elif left.ends[i] != right.ends[j]:
        ignored = "line end"
    return Row(
        DiffLine(Kind.SAME, i + 1, left.lines[i], left.ends[i]),
        DiffLine(Kind.SAME, j + 1, right.lines[j], right.ends[j]),
        ignored,
    )


def _lines(text: TextLines, kind: Kind, start: int, end: int) -> list[DiffLine]:
    return [
        DiffLine(kind, n + 1, text.lines[n], text.ends[n]) for n in range(start, end)
    ]


def _with_moves(rows: Sequence[Row]) -> tuple[Row, ...]:
    removed = {row.old.number: row.old.text for row in rows if row.old and not row.same}
    added = {row.new.number: row.new.text for row in rows if row.new and not row.same}
    went, came = find_moves(removed, added)
    if not went:
        return tuple(rows)
    marked: list[Row] = []
    for row in rows:
        old, new = row.old, row.new
        if not row.same and old and old.number in went:
            old = replace(old, moved=went[old.number], words=())
        if not row.same and new and new.number in came:
            new = replace(new, moved=came[new.number], words=())
        marked.append(
            row if old is row.old and new is row.new else replace(row, old=old, new=new)
        )
    return tuple(marked)


def _changed_size(left: TextLines, right: TextLines, blocks: Sequence[Block]) -> int:
    """Return how many characters the changed lines of both sides have."""
    size = sum(map(len, left.lines)) + sum(map(len, right.lines))
    for block in blocks:
        size -= sum(map(len, left.lines[block.old : block.old + block.size]))
        size -= sum(map(len, right.lines[block.new : block.new + block.size]))
    return size
