"""Strongly connected components of a graph: what uses each other, and what is used before what uses it."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping
from typing import TypeVar

K = TypeVar("K", bound=Hashable)


def components(keys: Iterable[K], uses: Mapping[K, Iterable[K]]) -> Iterator[list[K]]:
    """Yield the components that `keys` reach, what is used before what uses it (Tarjan, without recursion)."""
    number: dict[K, int] = {}
    low: dict[K, int] = {}
    waiting: list[K] = []
    is_waiting: set[K] = set()

    def enter(key: K) -> tuple[K, Iterator[K]]:
        number[key] = low[key] = len(number)
        waiting.append(key)
        is_waiting.add(key)
        return key, iter(uses.get(key, ()))

    for root in keys:
        if root in number:
            continue
        path = [enter(root)]
        while path:
            key, rest = path[-1]
            for used in rest:
                if used not in number:
                    path.append(enter(used))
                    break
                if used in is_waiting:
                    low[key] = min(low[key], number[used])
            else:
                path.pop()
                if path:
                    above = path[-1][0]
                    low[above] = min(low[above], low[key])
                if low[key] == number[key]:
                    component: list[K] = []
                    while not component or component[-1] != key:
                        component.append(waiting.pop())
                    is_waiting.difference_update(component)
                    yield component
