"""Three texts made one: what both changed apart is taken over, what both changed differently is marked. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from workbench.code.align import MATCHER, align

YOURS, MIDDLE, THEIRS = "<<<<<<<", "=======", ">>>>>>>"
_MARK = re.compile(r"^(<{7}|>{7}) ", re.MULTILINE)

Lines = Sequence[str]


@dataclass(frozen=True, slots=True)
class Merged:
    """The text to go on from. `conflicts` places in it hold both texts between marks."""

    text: str
    conflicts: int


class _Sync(NamedTuple):
    """Lines that all three texts share: where they begin in each, and how many they are."""

    base: int
    yours: int
    theirs: int
    size: int


def merge(
    base: str, yours: str, theirs: str, *, names: tuple[str, str] = ("yours", "now")
) -> Merged:
    """Return `yours` and `theirs` as one text, both having begun as `base`. `names` stand on the marks."""
    old, mine, other = base.split("\n"), yours.split("\n"), theirs.split("\n")
    out: list[str] = []
    conflicts = 0
    o = m = t = 0
    for sync in _shared(old, mine, other):
        before, my, their = (
            old[o : sync.base], mine[m : sync.yours], other[t : sync.theirs],
        )  # fmt: skip
        if my in (their, before):
            out += their
        elif their == before:
            out += my
        else:
            conflicts += 1
            out += [f"{YOURS} {names[0]}", *my, MIDDLE, *their, f"{THEIRS} {names[1]}"]
        out += old[sync.base : sync.base + sync.size]
        o, m, t = sync.base + sync.size, sync.yours + sync.size, sync.theirs + sync.size
    return Merged("\n".join(out), conflicts)


def has_marks(text: str) -> bool:
    """Return whether `text` still holds a mark that `merge` wrote: such a text is not finished."""
    return _MARK.search(text) is not None


def _shared(old: Lines, mine: Lines, other: Lines) -> Iterator[_Sync]:
    """Yield the stretches that all three share, in order; last, the ends of the three."""
    left, _ = align(old, mine, MATCHER)
    right, _ = align(old, other, MATCHER)
    i = j = 0
    while i < len(left) and j < len(right):
        a, b = left[i], right[j]
        start, end = max(a[0], b[0]), min(a[0] + a[2], b[0] + b[2])
        if start < end:
            yield _Sync(start, a[1] + start - a[0], b[1] + start - b[0], end - start)
        if a[0] + a[2] < b[0] + b[2]:
            i += 1
        else:
            j += 1
    yield _Sync(len(old), len(mine), len(other), 0)
