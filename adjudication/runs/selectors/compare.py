"""Old and new outcomes spec by spec: of two runs, and of all runs of a regrade set."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, F, OuterRef, Q, QuerySet, Subquery, Value
from django.db.models.functions import Coalesce

from adjudication.grading.outcomes import PRECEDENCE
from adjudication.runs.models import GradingRun, Outcome, RegradeSet
from adjudication.runs.selectors.run_page import tone_of

NONE = "none"
GAINED, LOST, OTHER, SAME = "gained", "lost", "other", "same"
CHANGES = {
    GAINED: "passes now",
    LOST: "passes no longer",
    OTHER: "another failure",
    SAME: "the same",
}
CHANGE_TONES = {GAINED: "ok", LOST: "bad", OTHER: "warn", SAME: "off"}


@dataclass(frozen=True)
class Change:
    """One spec in two runs; an outcome is `none` where the run has no such spec."""

    spec: str
    old: str
    new: str
    old_detail: str = ""
    new_detail: str = ""

    @property
    def kind(self) -> str:
        return change_of(self.old, self.new)

    @property
    def words(self) -> str:
        return CHANGES[self.kind]

    @property
    def tone(self) -> str:
        return CHANGE_TONES[self.kind]

    @property
    def old_tone(self) -> str:
        return "na" if self.old == NONE else tone_of(self.old)

    @property
    def new_tone(self) -> str:
        return "na" if self.new == NONE else tone_of(self.new)


def change_of(old: str, new: str) -> str:
    """Return gained, lost, other or same."""
    if old == new:
        return SAME
    if new == "passed":
        return GAINED
    return LOST if old == "passed" else OTHER


def compare_runs(old: GradingRun, new: GradingRun) -> list[Change]:
    """Return every spec of either run, losses first, then gains, other changes and what stayed. Two queries."""
    before = {one.spec: one for one in old.outcomes.all()}
    after = {one.spec: one for one in new.outcomes.all()}
    found = []
    for spec in dict.fromkeys([*before, *after]):
        a, b = before.get(spec), after.get(spec)
        found.append(
            Change(
                spec,
                a.outcome if a else NONE,
                b.outcome if b else NONE,
                a.detail if a else "",
                b.detail if b else "",
            )
        )
    rank = (LOST, GAINED, OTHER, SAME)
    return sorted(found, key=lambda change: rank.index(change.kind))


def set_outcomes(found: RegradeSet) -> QuerySet[Any]:
    """Return the outcomes of a set's ended runs, each with `old`, the outcome of the same spec in the run it replaces."""
    same = Outcome.objects.filter(
        run=OuterRef("run__replaces"), spec=OuterRef("spec")
    ).values("outcome")[:1]
    return (
        Outcome.objects.filter(run__in=found.runs.shown())
        .exclude(run__receipt_hash="")
        .annotate(old=Coalesce(Subquery(same), Value(NONE)))
    )


# The conditions on `set_outcomes` under which `change_of` says the kind.
CASES = {
    GAINED: Q(outcome="passed") & ~Q(old="passed"),
    LOST: Q(old="passed") & ~Q(outcome="passed"),
    OTHER: ~Q(old="passed") & ~Q(outcome="passed") & ~Q(old=F("outcome")),
    SAME: Q(old=F("outcome")),
}


@dataclass(frozen=True)
class Crossing:
    """How many specs went from one outcome to another in a set."""

    old: str
    new: str
    number: int

    @property
    def tone(self) -> str:
        return CHANGE_TONES[change_of(self.old, self.new)]


@dataclass(frozen=True)
class Matrix:
    """Old outcomes as rows, new ones as columns, and the number in each cell (None: none)."""

    columns: Sequence[str]
    rows: Sequence[tuple[str, Sequence[Crossing | None]]]
    changes: Sequence[tuple[str, int]]


def set_matrix(found: RegradeSet) -> Matrix:
    """Return old → new over all specs of a set. One query."""
    counted = (
        set_outcomes(found)
        .order_by()
        .values_list("old", "outcome")
        .annotate(number=Count("pk"))
    )
    cells = {(old, new): Crossing(old, new, number) for old, new, number in counted}
    order = [NONE, "passed", *(name for name in PRECEDENCE if name != "passed")]
    olds = [name for name in order if any(old == name for old, _ in cells)]
    news = [name for name in order if any(new == name for _, new in cells)]
    sums = dict.fromkeys(CHANGES, 0)
    for (old, new), crossing in cells.items():
        sums[change_of(old, new)] += crossing.number
    return Matrix(
        news,
        [(old, [cells.get((old, new)) for new in news]) for old in olds],
        list(sums.items()),
    )
