"""What a definition means, as a hash: the one place that says when a decision on it still holds.

`own_hash` is of a definition's own text, without comments and without white space that Lean does not heed
(workbench/lean/essence.py says what that is), and of the commands around it that decide how it is read: `open`,
`variable`, notations (workbench/lean/surroundings.py). `meanings` covers that and everything it uses, transitively, also
without naming it (workbench/lean/unsaid.py).
Both are computed from text (`TEXT`). Once an instance was built, its elaborated terms say it better: they come in as
another `own`, with basis `TERM`, and everything behind stays as it is. Hashes of different bases are never equal.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Mapping

from workbench.lean.components import components
from workbench.lean.essence import essence

TEXT, TERM = "text", "term"


def own_hash(text: str, around: str = "") -> str:
    """Return the hash of what Lean sees of `text`, 64 hexadecimal digits.

    `around` is the digest of the commands in force where it stands (workbench/lean/surroundings.py).
    """
    return _hash(TEXT, essence(text), around)


def meanings(
    own: Mapping[int, str], uses: Mapping[int, Collection[int]]
) -> dict[int, str]:
    """Return the meaning hash of each key of `own`: of its own hash, and of those of all that it uses, transitively.

    `uses` are the direct uses, by user. Definitions that use each other are hashed as one. Linear in both.
    """
    found: dict[int, str] = {}
    for component in components(own, uses):
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
