"""Acts on many things at once: how many, and what came of each. What pages say of it: workbench/ui/bulk.py."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from django.db import transaction

#: So many at once, and no more; from so many on the person says that they mean it.
MOST, CONFIRMED_FROM = 200, 20


class TooMany(ValueError):
    """More than one act takes."""


@dataclass(frozen=True)
class Outcome:
    """What an act on many did: the names of what it changed, and (name, reason) of what it left alone."""

    done: Sequence[str]
    left: Sequence[tuple[str, str]]


def demand_few(number: int) -> None:
    """Raise `TooMany` for more than one act takes."""
    if number > MOST:
        raise TooMany(f"At most {MOST} at once; these are {number}.")


def attempt(act: Callable[[], str], refusals: tuple[type[Exception], ...]) -> str:
    """Do `act` so that none of it stays where it raises one of `refusals`; return why nothing was done, "" where it was."""
    try:
        with transaction.atomic():
            return act()
    except refusals as refused:
        return str(refused)
