"""What changed within a line."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from workbench.code.align import MATCHER, Matcher, align

Columns = tuple[tuple[int, int], ...]
"""Stretches of a line: columns from 0, end exclusive."""

PAIR_LIMIT = 2_500
"""Pairs of lines that are weighed against each other in one change."""

WEIGHED = 1_000
"""Characters of a line that decide whether it is like another."""

ALIKE = 0.5
_WORD = re.compile(r"\w+|[ \t]+|.", re.DOTALL)


def likeness(old: str, new: str) -> float:
    """Return from 0 to 1 how many of the words of two lines are the same, whatever their order."""
    return _dice(_bag(old), _bag(new))


def pair_lines(
    old: Sequence[str], new: Sequence[str]
) -> list[tuple[int | None, int | None]]:
    """Return the rows of a changed block: which old line became which new line, `None` where there is no partner.

    Order is kept on both sides. Lines that have less than half of their words in common are not paired.
    """
    if not old or not new:
        return [(i, None) for i in range(len(old))] + [
            (None, j) for j in range(len(new))
        ]
    if len(old) * len(new) > PAIR_LIMIT:
        return _pair_by_place(old, new)
    bags_old = [_bag(line) for line in old]
    bags_new = [_bag(line) for line in new]
    best = [[0.0] * (len(new) + 1) for _ in range(len(old) + 1)]
    like = [[_dice(a, b) for b in bags_new] for a in bags_old]
    for i in range(len(old) - 1, -1, -1):
        for j in range(len(new) - 1, -1, -1):
            joined = like[i][j] + best[i + 1][j + 1] if like[i][j] >= ALIKE else 0.0
            best[i][j] = max(joined, best[i + 1][j], best[i][j + 1])
    rows: list[tuple[int | None, int | None]] = []
    i = j = 0
    while i < len(old) and j < len(new):
        if like[i][j] >= ALIKE and best[i][j] == like[i][j] + best[i + 1][j + 1]:
            rows.append((i, j))
            i, j = i + 1, j + 1
        elif best[i][j] == best[i + 1][j]:
            rows.append((i, None))
            i += 1
        else:
            rows.append((None, j))
            j += 1
    rows += [(k, None) for k in range(i, len(old))]
    rows += [(None, k) for k in range(j, len(new))]
    return rows


def changed_words(
    old: str, new: str, matcher: Matcher = MATCHER
) -> tuple[Columns, Columns]:
    """Return the columns of the words that went from `old` and of those that came in `new`.

    Both are empty where nearly everything changed: the whole line is the change then.
    """
    old_words, new_words = _WORD.findall(old), _WORD.findall(new)
    blocks, _ = align(old_words, new_words, matcher)
    gone = _complement(old_words, [(block.old, block.size) for block in blocks])
    come = _complement(new_words, [(block.new, block.size) for block in blocks])
    changed = sum(end - start for start, end in (*gone, *come))
    if changed > 0.8 * (len(old) + len(new)):
        return (), ()
    return gone, come


def _pair_by_place(
    old: Sequence[str], new: Sequence[str]
) -> list[tuple[int | None, int | None]]:
    """Pair lines of a block too large to weigh every pair: the n-th with the n-th, if they are alike."""
    rows: list[tuple[int | None, int | None]] = []
    for n in range(max(len(old), len(new))):
        if n < min(len(old), len(new)) and likeness(old[n], new[n]) >= ALIKE:
            rows.append((n, n))
            continue
        if n < len(old):
            rows.append((n, None))
        if n < len(new):
            rows.append((None, n))
    return rows


def _bag(line: str) -> Counter[str]:
    return Counter(_WORD.findall(line[:WEIGHED]))


def _dice(a: Counter[str], b: Counter[str]) -> float:
    size = a.total() + b.total()
    return 2 * (a & b).total() / size if size else 1.0


def _complement(words: Sequence[str], kept: Sequence[tuple[int, int]]) -> Columns:
    """Return the columns of the words outside `kept`; stretches with only blanks between them are joined."""
    changed = [True] * len(words)
    for start, size in kept:
        changed[start : start + size] = [False] * size
    found: list[tuple[int, int]] = []
    column = 0
    bridge = False
    for word, different in zip(words, changed, strict=True):
        end = column + len(word)
        if different:
            if found and (found[-1][1] == column or bridge):
                found[-1] = (found[-1][0], end)
            else:
                found.append((column, end))
            bridge = True
        elif word.strip(" \t"):
            bridge = False
        column = end
    return tuple(found)
