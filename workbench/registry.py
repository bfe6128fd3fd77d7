"""The one shape of every contribution point: named things, in order, added by apps at start-up."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Generic, Protocol, TypeVar


class Contribution(Protocol):
    """What can be contributed: it has a name, unique in its registry, and a place in the order."""

    @property
    def name(self) -> str: ...

    @property
    def order(self) -> int: ...


C = TypeVar("C", bound=Contribution)


class Registry(Generic[C]):
    """Contributions of one kind. Iterates by `order`, then by name."""

    def __init__(self, what: str) -> None:
        self.what = what
        self._entries: dict[str, C] = {}

    def add(self, *contributions: C) -> None:
        """Add `contributions`. Raises `ValueError` for a name that somebody else has taken."""
        for contribution in contributions:
            taken = self._entries.get(contribution.name)
            if taken is not None and taken != contribution:
                raise ValueError(
                    f"There are two {self.what} named {contribution.name!r}."
                )
            self._entries[contribution.name] = contribution

    def remove(self, name: str) -> None:
        """Take the contribution `name` out again (tests do)."""
        self._entries.pop(name, None)

    def get(self, name: str) -> C | None:
        """Return the contribution `name`, or None."""
        return self._entries.get(name)

    def __iter__(self) -> Iterator[C]:
        return iter(
            sorted(self._entries.values(), key=lambda entry: (entry.order, entry.name))
        )

    def __len__(self) -> int:
        return len(self._entries)
