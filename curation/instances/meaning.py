"""What a definition means, and when a decision on it still holds: the one place that says so.

**Text.** `own_hash` is of a definition's own text, without comments and without white space that Lean does not heed
(workbench/lean/essence.py says what that is), and of the commands around it that decide how it is read: `open`,
`variable`, notations (workbench/lean/surroundings.py). `meanings` covers that and everything it uses, transitively, also
without naming it (workbench/lean/unsaid.py). Every revision has these.

**Term.** Where a revision was built, the compiled term of a definition says what it means, with everything below it
(workbench/lean/termhash.py), and sees what text cannot. What it does not show stays bound to the text: the definition's
own text as a whole, and of all below it attributes and the like (`unseen_hashes`, workbench/lean/unseen.py).

`sticks` is the rule that brings the two together.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from enum import Enum

from workbench.lean.components import components
from workbench.lean.essence import essence
from workbench.lean.unseen import unseen

TEXT, TERM = "text", "term"
#: By which toolchain and scheme term hashes were made: the digests. Only those of equal ones are compared.
Under = tuple[str, str]


@dataclass(frozen=True)
class Meaning:
    """What a definition means in one revision. `terms` is empty where nothing built it that says so."""

    text: str
    own: str
    unseen: str
    terms: Mapping[Under, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Bound:
    """What an approval is bound to: what was read, and what was found to mean the same since.

    `texts` are meaning hashes, `own` and `unseen` those of the revision that was read.
    """

    texts: frozenset[str]
    own: str = ""
    unseen: str = ""
    terms: Mapping[Under, str] = field(default_factory=dict)


class Sticks(Enum):
    """Whether an approval holds, and whether the text or a compiled term said so."""

    BY_TEXT = True, TEXT
    BY_TERM = True, TERM
    NOT_BY_TEXT = False, TEXT
    NOT_BY_TERM = False, TERM

    @property
    def holds(self) -> bool:
        return self.value[0]

    @property
    def basis(self) -> str:
        return self.value[1]


def sticks(bound: Bound, now: Meaning) -> Sticks:
    """Return whether an approval that is bound to `bound` holds on `now`. Pure; the table is tested line by line.

    | text  | terms under a common toolchain | then |
    |-------|--------------------------------|------|
    | equal | none                           | holds by text |
    | equal | equal                          | holds by term |
    | any   | one differs                    | falls by term |
    | other | none                           | falls by text |
    | other | equal, the rest unchanged      | holds by term |
    | other | equal, the rest changed        | falls by text |

    The rest: the definition's own text, and what the texts below it say beside their terms. Unknown is changed.
    """
    common = bound.terms.keys() & now.terms.keys()
    if any(bound.terms[under] != now.terms[under] for under in common):
        return Sticks.NOT_BY_TERM
    if now.text in bound.texts:
        return Sticks.BY_TERM if common else Sticks.BY_TEXT
    unchanged = bound.own == now.own and bound.unseen == now.unseen
    if common and unchanged and now.own and now.unseen:
        return Sticks.BY_TERM
    return Sticks.NOT_BY_TEXT


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


def beside_term(
    name: str, keyword: str, text: str, around: str, meaning: str
) -> frozenset[str]:
    """Return what a definition says that its term does not show. `meaning` stands for all of it, where that is too much."""
    said = unseen(name, keyword, text)
    if said is None:
        return frozenset((f"all {name} {meaning}",))
    found = {f"said {said}" if said else "", f"around {around}" if around else ""}
    return frozenset(found - {""})


def unseen_hashes(
    beside: Mapping[int, frozenset[str]], uses: Mapping[int, Collection[int]]
) -> dict[int, str]:
    """Return for each key of `beside` the hash of what it and all that it uses, transitively, say beside their terms.

    That is a set: a definition that says nothing of the kind may come or go, since terms show whether it matters.
    """
    numbers: dict[str, int] = {}
    own = {
        key: sum(1 << numbers.setdefault(one, len(numbers)) for one in said)
        for key, said in beside.items()
    }
    names = list(numbers)
    reached: dict[int, int] = {}
    hashes: dict[int, str] = {}
    for component in components(own, uses):
        bits = 0
        for key in component:
            bits |= own[key]
            for used in uses.get(key, ()):
                bits |= reached.get(used, 0)
        for key in component:
            reached[key] = bits
        if bits not in hashes:
            said = (names[at] for at in range(bits.bit_length()) if bits >> at & 1)
            hashes[bits] = _hash("unseen", *sorted(said))
    return {key: hashes[reached[key]] for key in beside}


def _hash(*parts: str) -> str:
    digest = hashlib.sha256()
    for part in parts:
        data = part.encode("utf-8", "surrogatepass")
        digest.update(b"%d:" % len(data))
        digest.update(data)
    return digest.hexdigest()
