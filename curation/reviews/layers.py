"""How deep a definition stands on others: what is used comes before what uses it."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from typing import TypeVar

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
    for circle in _circles(below):  # what a circle uses comes before it
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


def _circles(below: Mapping[N, list[N]]) -> Iterable[list[N]]:
    """Yield the strongly connected parts, used ones first (Tarjan 1972, without recursion)."""
    index: dict[N, int] = {}
    low: dict[N, int] = {}
    open_nodes: list[N] = []
    is_open: set[N] = set()
    for root in below:
        if root in index:
            continue
        index[root] = low[root] = len(index)
        open_nodes.append(root)
        is_open.add(root)
        work = [(root, iter(below[root]))]
        while work:
            node, rest = work[-1]
            for used in rest:
                if used not in index:
                    index[used] = low[used] = len(index)
                    open_nodes.append(used)
                    is_open.add(used)
                    work.append((used, iter(below[used])))
                    break
                if used in is_open:
                    low[node] = min(low[node], index[used])
            else:
                work.pop()
                if work:
                    above = work[-1][0]
                    low[above] = min(low[above], low[node])
                if low[node] == index[node]:
                    circle = []
                    while True:
                        member = open_nodes.pop()
                        is_open.discard(member)
                        circle.append(member)
                        if member == node:
                            break
                    yield circle
