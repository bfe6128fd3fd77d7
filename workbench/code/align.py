"""Which parts of two sequences are the same, found in bounded time.

The work is done by cydifflib's `SequenceMatcher` or, where that is not installed, by difflib's: same result, slower.
Both are quadratic and worse on long texts with many repeated lines, so those are first cut at lines that occur once
on both sides (as in "patience diff"), and what is still too much is left as one change.
"""

from __future__ import annotations

import difflib
from bisect import bisect_left
from collections import Counter
from collections.abc import Hashable, Sequence
from typing import NamedTuple, Protocol

try:
    import cydifflib
except ImportError:  # no wheel for this platform
    cydifflib = None

WORK_LIMIT = 250_000
"""Pairs of equal elements above which a stretch is first cut at unique elements, then given up."""

DEPTH_LIMIT = 20
"""How often a stretch is cut before it is given up: text made to be slow could be cut once a line."""


class Block(NamedTuple):
    """`size` equal elements from `old` and from `new` on, counted from 0."""

    old: int
    new: int
    size: int


class Matcher(Protocol):
    """What `difflib.SequenceMatcher` and `cydifflib.SequenceMatcher` have in common."""

    def __call__(
        self, isjunk: None, a: Sequence[int], b: Sequence[int], autojunk: bool
    ) -> difflib.SequenceMatcher[int]: ...


DIFFLIB: Matcher = difflib.SequenceMatcher
MATCHER: Matcher = cydifflib.SequenceMatcher if cydifflib else DIFFLIB


def align(
    old: Sequence[Hashable], new: Sequence[Hashable], matcher: Matcher = MATCHER
) -> tuple[list[Block], bool]:
    """Return the equal blocks of `old` and `new` in order, and whether equal stretches may have been missed.

    Blocks are maximal, do not overlap and rise on both sides.
    """
    codes: dict[Hashable, int] = {}
    a = [codes.setdefault(item, len(codes)) for item in old]
    b = [codes.setdefault(item, len(codes)) for item in new]
    aligner = _Aligner(a, b, matcher)
    aligner.stretch(0, len(a), 0, len(b), 0)
    return _joined(aligner.blocks), aligner.coarse


class _Aligner:
    def __init__(self, a: list[int], b: list[int], matcher: Matcher) -> None:
        self.a, self.b, self.matcher = a, b, matcher
        self.blocks: list[Block] = []
        self.coarse = False

    def stretch(self, a1: int, a2: int, b1: int, b2: int, depth: int) -> None:
        """Append the equal blocks of `a[a1:a2]` and `b[b1:b2]`."""
        a, b = self.a, self.b
        head = 0
        while a1 + head < a2 and b1 + head < b2 and a[a1 + head] == b[b1 + head]:
            head += 1
        if head:
            self.blocks.append(Block(a1, b1, head))
            a1, b1 = a1 + head, b1 + head
        tail = 0
        while (
            a1 < a2 - tail and b1 < b2 - tail and a[a2 - tail - 1] == b[b2 - tail - 1]
        ):
            tail += 1
        a2, b2 = a2 - tail, b2 - tail
        if a1 < a2 and b1 < b2:
            self._middle(a1, a2, b1, b2, depth)
        if tail:
            self.blocks.append(Block(a2, b2, tail))

    def _middle(self, a1: int, a2: int, b1: int, b2: int, depth: int) -> None:
        left, right = Counter(self.a[a1:a2]), Counter(self.b[b1:b2])
        pairs = sum(count * right[item] for item, count in left.items())
        if not pairs:
            return
        if pairs <= WORK_LIMIT:
            found = self.matcher(None, self.a[a1:a2], self.b[b1:b2], False)
            blocks = (
                Block(*match) for match in found.get_matching_blocks() if match[2]
            )
            self.blocks.extend(Block(a1 + i, b1 + j, n) for i, j, n in blocks)
            return
        anchors = self._anchors(a1, a2, b1, b2, left, right)
        if not anchors or depth == DEPTH_LIMIT:
            self.coarse = True
            return
        at_a, at_b = a1, b1
        for i, j in anchors:
            self.stretch(at_a, i, at_b, j, depth + 1)
            self.blocks.append(Block(i, j, 1))
            at_a, at_b = i + 1, j + 1
        self.stretch(at_a, a2, at_b, b2, depth + 1)

    def _anchors(
        self,
        a1: int,
        a2: int,
        b1: int,
        b2: int,
        left: Counter[int],
        right: Counter[int],
    ) -> list[tuple[int, int]]:
        """Return the longest rising chain of elements that occur once on both sides."""
        place = {
            item: j
            for j, item in enumerate(self.b[b1:b2], b1)
            if right[item] == 1 == left[item]
        }
        pairs = [
            (i, place[item])
            for i, item in enumerate(self.a[a1:a2], a1)
            if item in place
        ]
        ends: list[int] = []
        chain: list[int] = []
        before: list[int] = []
        for index, (_, j) in enumerate(pairs):
            at = bisect_left(ends, j)
            before.append(chain[at - 1] if at else -1)
            ends[at : at + 1] = [j]
            chain[at : at + 1] = [index]
        longest: list[tuple[int, int]] = []
        index = chain[-1] if chain else -1
        while index >= 0:
            longest.append(pairs[index])
            index = before[index]
        return longest[::-1]


def _joined(blocks: Sequence[Block]) -> list[Block]:
    joined: list[Block] = []
    for block in blocks:
        last = joined[-1] if joined else None
        if (
            last
            and last.old + last.size == block.old
            and last.new + last.size == block.new
        ):
            joined[-1] = Block(last.old, last.new, last.size + block.size)
        else:
            joined.append(block)
    return joined
