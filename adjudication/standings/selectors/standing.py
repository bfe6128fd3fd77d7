"""A board with its pictures, kept in memory until what it is made of changes.

Working a board of 20,000 cells out takes a tenth of a second and more, and nearly always nothing has moved since the last
reader. So each reader asks first for the sums over its cells (`Makeup`, one scan): whatever an action, a rebuild or a hand
does to a cell, a place or a spend changes one of them, in whatever order transactions end. What the sums do not tell
apart does not exist: a cell changes by another run, another count, or by being made anew.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.db.models import Count, Max, Sum

from adjudication.standings.models import InstanceSet
from adjudication.standings.selectors.board import Board, board
from adjudication.standings.selectors.kept import kept
from adjudication.standings.selectors.pictures import Pictures, pictures


@dataclass(frozen=True)
class Makeup:
    """What a board is made of: sums over its cells by basis and grader, and sums over its places and spends."""

    cells: Sequence[Mapping[str, Any]]
    others: tuple[Any, ...]

    @property
    def stamp(self) -> tuple[Any, ...]:
        """What differs whenever the board does."""
        return (*(tuple(row.values()) for row in self.cells), *self.others)


def makeup(found: InstanceSet) -> Makeup:
    """Return what the board of a set is made of now. Three queries."""
    cells = (
        found.cells.order_by("basis", "graded_by")
        .values("basis", "graded_by")
        .annotate(
            number=Count("pk"),
            example=Max("run"),
            keys=Sum("pk"),
            runs=Sum("run"),
            passed=Sum("passed"),
            specs=Sum("specs"),
            newest=Max("changed_at"),
        )
    )
    places = found.members.aggregate(
        Count("pk"), Sum("pk"), Sum("specs"), Sum("instance"), Sum("revision")
    )
    spends = found.spends.aggregate(Count("pk"), Sum("pk"), Sum("cost_usd"))
    return Makeup(list(cells), (*places.values(), *spends.values()))


def standing(
    found: InstanceSet,
    made_of: Makeup,
    disputed: Mapping[int, int],
    *,
    mode: str = "",
    basis: str = "",
) -> tuple[Board, Pictures]:
    """Return the board of a set and its pictures, as kept if it is still made of the same."""
    stamp = (made_of.stamp, sorted(disputed.items()))
    key = f"board-{found.pk}-{mode}-{basis}"

    def make() -> tuple[Board, Pictures]:
        made = board(found, mode=mode, basis=basis)
        return made, pictures(made, disputed)

    table, drawn = kept(key, stamp, make)
    return replace(table, set=found), drawn
