"""Blocks of lines that were taken out here and put in there."""

from __future__ import annotations

import re
from collections.abc import Mapping

LEAST_LINES = 3
LEAST_WEIGHT = 40
"""Letters and digits that make a block worth a mark though it is shorter than `LEAST_LINES`."""

_MOST_PLACES = 20
_LIGHT = 8
_WEIGHTY = re.compile(r"\w")


def find_moves(
    removed: Mapping[int, str], added: Mapping[int, str]
) -> tuple[dict[int, int], dict[int, int]]:
    """Return which removed line went where, and which added line came from where.

    Keys of the arguments are line numbers, values the lines; indentation is not compared. A block counts when it
    has three lines with text, or 40 letters and digits. Lines that were added in more than 20 places start no block.
    """
    plain = {number: " ".join(line.split()) for number, line in added.items()}
    places: dict[str, list[int]] = {}
    for number, line in plain.items():
        if _weight(line) >= _LIGHT:
            places.setdefault(line, []).append(number)
    source = {number: " ".join(line.split()) for number, line in removed.items()}
    went: dict[int, int] = {}
    came: dict[int, int] = {}
    for start in sorted(source):
        candidates = places.get(source[start], [])
        if start in went or len(candidates) > _MOST_PLACES:
            continue
        runs = [
            _run(source, plain, start, place, came)
            for place in candidates
            if place not in came
        ]
        best = max(runs, key=len, default=[])
        if _counts([source[old] for old, _ in best]):
            went.update(best)
            came.update((new, old) for old, new in best)
    return went, came


def _run(
    source: Mapping[int, str],
    target: Mapping[int, str],
    old: int,
    new: int,
    taken: Mapping[int, int],
) -> list[tuple[int, int]]:
    """Return the lines from `old` and `new` on that are the same, without blank lines at the end."""
    run: list[tuple[int, int]] = []
    while (
        old in source
        and new in target
        and new not in taken
        and source[old] == target[new]
    ):
        run.append((old, new))
        old, new = old + 1, new + 1
    while run and not source[run[-1][0]]:
        run.pop()
    return run


def _counts(lines: list[str]) -> bool:
    return (
        sum(1 for line in lines if line) >= LEAST_LINES
        or sum(map(_weight, lines)) >= LEAST_WEIGHT
    )


def _weight(line: str) -> int:
    return len(_WEIGHTY.findall(line))
