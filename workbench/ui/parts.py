"""What the shared components are given (templates/ui/)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Tab:
    """One view of one thing, or one of several alternatives (a link, so that the URL holds the state)."""

    label: str
    url: str
    current: bool = False
    count: int | None = None


@dataclass(frozen=True)
class Step:
    """One step of a rail: its name, tone, and who and when, or what it waits for."""

    name: str
    tone: str
    note: str = ""
    current: bool = False
    url: str = ""


@dataclass(frozen=True)
class Choice:
    """One value of a facet. `count` belongs to the filter in force; None where it is not counted."""

    value: str
    label: str
    count: int | None = None
    chosen: bool = False
    tone: str = ""


@dataclass(frozen=True)
class Facet:
    """One filter that lives in the URL as `?key=value`; `several` allows more than one value at once."""

    key: str
    label: str
    choices: Sequence[Choice]
    several: bool = False
    shown: int = 10
    note: str = ""

    @property
    def chosen(self) -> list[Choice]:
        return [choice for choice in self.choices if choice.chosen]

    @property
    def first(self) -> Sequence[Choice]:
        """What is shown without unfolding: the first `shown` choices."""
        return self.choices[: self.shown]

    @property
    def rest(self) -> Sequence[Choice]:
        return self.choices[self.shown :]


def facet(
    key: str,
    label: str,
    counts: Iterable[tuple[str, int | None]] | Iterable[tuple[str, int]],
    chosen: Sequence[str],
    *,
    several: bool = False,
    labels: dict[str, str] | None = None,
    tones: dict[str, str] | None = None,
) -> Facet:
    """Return the facet over (value, count) pairs. What is chosen comes first, and stays even where nothing is left."""
    pairs: dict[str, int | None] = dict(counts)
    for value in chosen:
        pairs.setdefault(value, 0)
    choices = [
        Choice(
            value,
            (labels or {}).get(value, value),
            count,
            value in chosen,
            (tones or {}).get(value, ""),
        )
        for value, count in pairs.items()
    ]
    choices.sort(key=lambda choice: not choice.chosen)
    return Facet(key, label, choices, several)


@dataclass(frozen=True)
class Kept:
    """A field that somebody filled and that could not be accepted: its name, and the text to give back.

    `carried` is what the form itself brought along, hidden or on its button: it is sent again and not shown.
    """

    name: str
    value: str
    long: bool = field(default=False)
    carried: bool = field(default=False)
