"""A measured figure beside its budget, and how scripts print and conclude."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass


@dataclass(frozen=True)
class Figure:
    """`value` (the best run, where there are several) must not be above `budget`; None: told, not judged.

    `median` is that of the runs, `processor` the processor time of the run in the same unit, where they are known.
    """

    name: str
    value: float
    unit: str
    budget: float | None = None
    median: float | None = None
    processor: float | None = None

    def missed(self, busy: bool = False) -> bool:
        """Return whether the budget is missed; on a `busy` machine processor time is judged where it is known."""
        judged = self.value if self.processor is None or not busy else self.processor
        return self.budget is not None and judged > self.budget

    def line(self, busy: bool = False) -> str:
        """Return the figure as a line of the report."""
        verdict = (
            "MISS" if self.missed(busy) else "    " if self.budget is None else "ok  "
        )
        notes = []
        if self.budget is not None:
            # Of a budget of nothing there is no share.
            share = f", {self.value / self.budget:.2f} of it" if self.budget else ""
            notes.append(f"budget {self.budget:g}{share}")
        if self.median is not None:
            notes.append(f"median {self.median:.4g}")
        if self.processor is not None:
            notes.append(f"processor {self.processor:.3g}")
        told = f"{self.value:.4g}" if self.value < 10_000 else f"{self.value:,.0f}"
        told_notes = f"  ({', '.join(notes)})" if notes else ""
        return f"{verdict} {told:>8} {self.unit:<7} {self.name}{told_notes}"


def conclude(figures: Iterable[Figure], *, as_json: bool, busy: bool = False) -> int:
    """Print the figures as they come (as JSON: at the end); return the exit code of the script: 1 for a missed budget."""
    found = []
    for figure in figures:
        found.append(figure)
        if not as_json:
            print(figure.line(busy), flush=True)
    if as_json:
        rows = [{**asdict(one), "missed": one.missed(busy)} for one in found]
        print(json.dumps(rows, indent=1))
    return int(any(figure.missed(busy) for figure in found))
