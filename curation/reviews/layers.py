"""How deep a definition stands on others: what is used comes before what uses it."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import TypeVar

from workbench.lean.components import components

N = TypeVar("N", bound=Hashable)


def depths(nodes: Iterable[N], uses: Iterable[tuple[N, N]]) -> dict[N, int]:
    """Return for each node the length of the longest chain of uses below it, 0 for one that uses nothing.

    `uses` are pairs (user, used); pairs with a node that is not in `nodes` are left out. Those that use each other in
    a circle stand at one depth.
    """
    below: dict[N, list[N]] = {node: [] for node in nodes}
    for user, used in uses:
        if user != used and user in below and used in below:
            below[user].append(used)
    found: dict[N, int] = {}
    for circle in components(below, below):  # what a circle uses comes before it
        inside = set(circle)
        deepest = max(
            (
                found[used]
                for node in circle
                for used in below[node]
                if used not in inside
            ),
            default=-1,
        )
        for node in circle:
            found[node] = deepest + 1
    return found
