"""One configuration: what it has in each set, and its newest runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from adjudication.runs.models import Configuration, GradingRun
from adjudication.runs.selectors.visible import visible_runs
from adjudication.standings.models import Cell, InstanceSet
from adjudication.standings.selectors.visible import visible_boards
from workbench.access.rights import Person

MOST_CELLS, MOST_RUNS = 600, 20


@dataclass(frozen=True)
class Part:
    """The cells of a configuration in one set, mode and basis, worst first."""

    set: InstanceSet
    mode: str
    basis: str
    cells: Sequence[Cell]

    @property
    def full_solves(self) -> int:
        return sum(1 for cell in self.cells if cell.passed == cell.specs)

    @property
    def passed(self) -> int:
        return sum(cell.passed for cell in self.cells)

    @property
    def specs(self) -> int:
        return sum(cell.specs for cell in self.cells)


def sets_with(user: Person, agent: Configuration) -> list[InstanceSet]:
    """Return the sets in which `agent` has cells that `user` may see. One query."""
    holding = Cell.objects.filter(configuration=agent).order_by().values("set")
    return list(visible_boards(user).filter(pk__in=holding))


def parts(agent: Configuration, chosen: InstanceSet) -> tuple[list[Part], bool]:
    """Return the cells of `agent` in a set by mode and basis, and whether more are left out. One query."""
    rows = list(
        Cell.objects.filter(configuration=agent, set=chosen)
        .select_related("member__instance", "run")
        .order_by("mode", "basis", "member__name")[: MOST_CELLS + 1]
    )
    found = []
    for (mode, basis), cells in groupby(
        rows[:MOST_CELLS], key=lambda cell: (cell.mode, cell.basis)
    ):
        worst = sorted(
            cells, key=lambda cell: (cell.passed / cell.specs, cell.member.name)
        )
        found.append(Part(chosen, mode, basis, worst))
    return found, len(rows) > MOST_CELLS


def newest_runs(user: Person, agent: Configuration) -> list[GradingRun]:
    """Return the newest runs of `agent` that `user` may see. One query."""
    rows = (
        visible_runs(user).shown().with_void().filter(submission__configuration=agent)
    )
    return list(
        rows.select_related("submission", "instance", "revision", "job").order_by(
            "-pk"
        )[:MOST_RUNS]
    )
