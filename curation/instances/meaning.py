"""What a definition means, as a hash: the one place that says when a decision on it still holds.

`own_hash` is of a definition's own text, without comments and without white space that Lean does not heed
(workbench/lean/essence.py says what that is). `meanings` covers that and everything it uses, transitively.
Both are computed from text (`TEXT`). Once an instance was built, its elaborated terms say it better: they come in as
another `own`, with basis `TERM`, and everything behind stays as it is. Hashes of different bases are never equal.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Mapping

from workbench.lean.essence import essence

TEXT, TERM = "text", "term"


def own_hash(text: str) -> str:
    """Return the hash of what Lean sees of `text`, 64 hexadecimal digits."""
    return _hash(TEXT, essence(text))


def meanings(
    own: Mapping[int, str], uses: Mapping[int, Collection[int]]
) -> dict[int, str]:
    """Return the meaning hash of each key of `own`: of its own hash, and of those of all that it uses, transitively.

    `uses` are the direct uses, by user. Definitions that use each other are hashed as one. Linear in both.
    """
    found: dict[int, str] = {}
    for component in _components(own, uses):
        inside = set(component)
        local = {
            key: _hash(
                own[key],
                *sorted(
                    {found[used] for used in uses.get(key, ()) if used not in inside}
                ),
            )
            for key in component
        }
        together = _hash(*sorted(local.values())) if len(component) > 1 else ""
        for key in component:
            found[key] = _hash(local[key], together)
    return found


def _hash(*parts: str) -> str:
    digest = hashlib.sha256()
    for part in parts:
        data = part.encode("utf-8", "surrogatepass")
        digest.update(b"%d:" % len(data))
        digest.update(data)
    return digest.hexdigest()


def _components(
    keys: Iterable[int], uses: Mapping[int, Collection[int]]
) -> Iterable[list[int]]:
    """Yield the strongly connected components, what is used before what uses it (Tarjan, without recursion)."""
    number: dict[int, int] = {}
    low: dict[int, int] = {}
    open_ones: list[int] = []
    is_open: set[int] = set()
    for root in keys:
        if root in number:
            continue
        number[root] = low[root] = len(number)
        open_ones.append(root)
        is_open.add(root)
        path = [(root, iter(uses.get(root, ())))]
        while path:
            key, rest = path[-1]
            for used in rest:
                if used not in number:
                    number[used] = low[used] = len(number)
                    open_ones.append(used)
                    is_open.add(used)
                    path.append((used, iter(uses.get(used, ()))))
                    break
                if used in is_open:
                    low[key] = min(low[key], number[used])
            else:
                path.pop()
                if path:
                    above = path[-1][0]
                    low[above] = min(low[above], low[key])
                if low[key] == number[key]:
                    component: list[int] = []
                    while not component or component[-1] != key:
                        component.append(open_ones.pop())
                    is_open.difference_update(component)
                    yield component
