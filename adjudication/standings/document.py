"""A board as JSON, for the command and the page."""

from __future__ import annotations

from typing import Any

from adjudication.runs.models import MODES
from adjudication.standings.models import Cell
from adjudication.standings.selectors.board import Board, full_solves, pairs


def document(standing: Board) -> dict[str, Any]:
    """Return a board as JSON, money as numbers of US dollars, None where not recorded.

    `pairs` and unions are those of `counted_basis`: verified results, or reported ones where there is no other.
    """
    basis = standing.counted[0].basis if standing.counted else Cell.VERIFIED
    solved = full_solves(standing.set, basis)
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
                "outdated": row.outdated,
                "full_solves": row.full_solves,
                "specs_passed": row.specs_passed,
                "micro": round(row.micro, 6),
                "macro": round(row.macro, 6),
                "near_misses": row.near_misses,
                "far": row.far,
                "cost_usd": _money(row.cost_usd),
                "cost_per_solve": _money(row.cost_per_solve),
                "cost_per_spec": _money(row.cost_per_spec),
                "median_minutes": None
                if row.minutes is None
                else round(row.minutes, 1),
            }
            for row in standing.rows
        ],
        "counted_basis": basis,
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
