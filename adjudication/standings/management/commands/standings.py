"""Print the board of a set."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandParser

from adjudication.runs.models import MODES
from adjudication.standings.models import InstanceSet
from adjudication.standings.selectors.board import Board, board, full_solves, pairs
from workbench.commands import ProductCommand, WrongUse


class Command(ProductCommand):
    help = "Print the board of a set: full solves and specs passed, with their denominators."

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--set", required=True, metavar="NAME")
        parser.add_argument("--mode", choices=[mode for mode, _ in MODES])

    def run(self, options: dict[str, Any]) -> Any:
        found = InstanceSet.objects.filter(slug=options["set"], hidden=False).first()
        if found is None:
            known = ", ".join(InstanceSet.objects.values_list("slug", flat=True))
            raise WrongUse(
                f"there is no set {options['set']!r} (sets: {known or 'none'})"
            )
        standing = board(found, mode=options["mode"] or "")
        self._tell(standing)
        return document(standing)

    def _tell(self, standing: Board) -> None:
        self.say(
            f"{standing.set}: {standing.instances} instances, {standing.specs} specs"
        )
        width = max((len(str(row.configuration)) for row in standing.rows), default=0)
        for row in standing.rows:
            self.say(
                f"{row.rank:>3}  {row.configuration!s:{width}}  {row.mode:9}  {row.basis:8}  "
                f"{row.full_solves:>4} / {standing.instances}  {row.specs_passed:>6} / {standing.specs}  {row.micro:6.1%}"
            )


def document(standing: Board) -> dict[str, Any]:
    """Return a board as JSON, money as numbers of US dollars."""
    solved = full_solves(standing.set)
    every = set().union(*solved.values()) if solved else set()
    return {
        "set": standing.set.slug,
        "denominators": {"instances": standing.instances, "specs": standing.specs},
        "rows": [
            {
                "rank": row.rank,
                "configuration": str(row.configuration),
                "mode": row.mode,
                "basis": row.basis,
                "settings": row.settings,
                "covered": row.covered,
                "full_solves": row.full_solves,
                "specs_passed": row.specs_passed,
                "micro": round(row.micro, 6),
                "macro": round(row.macro, 6),
                "near_misses": row.near_misses,
                "far": row.far,
                "cost_usd": _money(row.cost_usd),
                "cost_per_solve": _money(row.cost_per_solve),
                "cost_per_spec": _money(row.cost_per_spec),
            }
            for row in standing.rows
        ],
        "pairs": pairs(standing.set, solved),
        "union_full_solves": len(every),
        "union_by_mode": {
            mode: len(
                set().union(*(names for (_, m), names in solved.items() if m == mode))
            )
            for mode, _ in MODES
        },
    }


def _money(value: Any) -> float | None:
    return None if value is None else float(value)
