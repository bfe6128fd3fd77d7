"""Names of two languages made comparable: `decodeInt` and `decode_int` are the same words."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from functools import lru_cache

_WORD = re.compile(r"[A-Z]+(?![a-z])\d*|[A-Z]?[a-z]+\d*|\d+|[^\W\d_]+")
_PRIME = re.compile(r"['′’]")

#: Words that say what a statement is and not what it is about.
STATEMENT_WORDS = frozenset(
    {"lemma", "theorem", "thm", "axiom", "spec", "prop", "property"}
)

#: The likeness of a name to one that continues it, and how long it must be to say anything.
LEADING, _LEAST_LETTERS = 0.65, 5
#: What a word counts that abbreviates another, where the very word counts 1.
_ABBREVIATED = 0.9

#: A Lean constructor function and what languages call theirs.
_SAME_WORDS = {"mk": "init", "ctor": "init"}


@lru_cache(maxsize=100_000)
def words(name: str) -> tuple[str, ...]:
    """Return the words of a name in lower case.

    `'` is the word `prime`, `?` the word `query` (`Some?` is not `Some`), `[u8]` is `slice u8`.
    """
    spelled = _PRIME.sub("_prime", name).replace("[", "slice_").replace("?", "_query")
    return tuple(match.lower() for match in _WORD.findall(spelled))


@lru_cache(maxsize=100_000)
def squash(name: str) -> str:
    """Return the words of a name run together: equal for camelCase and snake_case."""
    return "".join(words(name))


def bare_spec_name(name: str) -> str:
    """Return the name without the `spec_` that the format puts before every spec."""
    return name.removeprefix("spec_") or name


def without_statement_words(parts: Sequence[str]) -> tuple[str, ...]:
    """Return `parts` without leading or trailing words such as `lemma`, unless nothing is left."""
    found = list(parts)
    while len(found) > 1 and found[0] in STATEMENT_WORDS:
        del found[0]
    while len(found) > 1 and found[-1] in STATEMENT_WORDS:
        del found[-1]
    return tuple(found)


def shared_prefixes(names: Collection[str], least: int = 3) -> frozenset[str]:
    """Return first words that at least `least` of `names` begin with and that are no whole name."""
    counts: dict[str, int] = {}
    for name in set(names):
        parts = words(name)
        if len(parts) > 1:
            counts[parts[0]] = counts.get(parts[0], 0) + 1
    return frozenset(word for word, count in counts.items() if count >= least)


def standard(parts: Sequence[str]) -> tuple[str, ...]:
    """Return `parts` with words that mean the same written the same."""
    return tuple(_SAME_WORDS.get(word, word) for word in parts)


def likeness(left: Sequence[str], right: Sequence[str]) -> float:
    """Return how much two names in standard words are alike, from 0 to 1.

    It is the share of the longer name's words that the other has too; a word also counts if
    it abbreviates another (`addr`, `address`), though a little less, and abbreviations alone count half. A name that
    the other only continues (`collapse`, `collapse_addresses`) counts as LEADING at least.
    """
    if not left or not right:
        return 0.0
    rest = list(right)
    unmatched: list[str] = []
    for word in left:
        if word in rest:
            rest.remove(word)
        else:
            unmatched.append(word)
    same = len(left) - len(unmatched)
    alike = 0.0
    for word in unmatched:
        match = next((other for other in rest if same_word(word, other)), None)
        if match is not None:
            rest.remove(match)
            alike += _ABBREVIATED
    share = (same + alike) / max(len(left), len(right))
    if not same:
        return share / 2
    shorter, longer = sorted((tuple(left), tuple(right)), key=len)
    continues = (
        longer[: len(shorter)] == shorter and len("".join(shorter)) >= _LEAST_LETTERS
    )
    return max(share, LEADING) if continues else share


def stem(word: str) -> str:
    """Return the first three letters, which all words that `same_word` likens have in common."""
    return word[:3]


def same_word(left: str, right: str) -> bool:
    """Return whether one word is the other or an abbreviation of it, three letters or more."""
    if left == right:
        return True
    shorter, longer = sorted((left, right), key=len)
    return len(shorter) >= 3 and longer.startswith(shorter)
