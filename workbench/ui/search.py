"""What the search box finds. Apps add a provider each at start-up."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from workbench.access.models import User
from workbench.registry import Registry

SHORTEST = 2


@dataclass(frozen=True)
class Hit:
    """One thing found: its name and address, where it is, and a word of why (both may be empty)."""

    name: str
    url: str
    where: str = ""
    note: str = ""


@dataclass(frozen=True)
class Provider:
    """Finds things of one kind. `name` is the plural word over the list ("definitions").

    `find(user, words, limit)` returns at most `limit` hits, best first, and only what `user` may see. `more`, when
    given, returns the address of the full list for the same words.
    """

    name: str
    find: Callable[[User, str, int], Sequence[Hit]]
    order: int = 50
    more: Callable[[str], str] | None = None


@dataclass(frozen=True)
class Group:
    """The hits of one provider for one search. `partial`: there are more than are shown."""

    name: str
    hits: Sequence[Hit]
    more: str
    partial: bool = False

    @property
    def shown(self) -> str:
        """How many, as a heading says it."""
        return f"{len(self.hits)}+" if self.partial else str(len(self.hits))


providers: Registry[Provider] = Registry("search providers")


def found(user: User, words: str, *, limit: int = 12) -> list[Group]:
    """Return what each provider finds for `words`; groups without a hit are left out. Needs two characters."""
    if len(words) < SHORTEST:
        return []
    groups = []
    for provider in providers:
        hits = list(provider.find(user, words, limit + 1))
        if hits:
            more = provider.more(words) if provider.more else ""
            groups.append(Group(provider.name, hits[:limit], more, len(hits) > limit))
    return groups
