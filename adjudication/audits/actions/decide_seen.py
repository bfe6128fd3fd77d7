"""A decision is bound to what its page showed: who decides on something else is told, not obeyed."""

from __future__ import annotations

from collections.abc import Collection

from django.db.models import Count, Max

from adjudication.audits.actions.settle_finding import locked
from adjudication.audits.models import Closure, Finding, Ruling, TurningPoint


class Moved(Exception):
    """The finding is not as the page showed it. The text says what to do."""


def marks_of(findings: Collection[int]) -> dict[int, str]:
    """Return by finding a mark of what a decision rests on: the last move, the ruling in force, the closures. Three queries."""
    points = TurningPoint.objects.filter(finding__in=findings).order_by()
    moves = dict(points.values_list("finding").annotate(last=Max("pk")))
    standing = Ruling.objects.filter(finding__in=findings, is_current=True)
    rulings = dict(standing.order_by().values_list("finding", "pk"))
    rows = Closure.objects.filter(finding__in=findings).order_by()
    counted = rows.values_list("finding").annotate(number=Count("pk"), last=Max("pk"))
    closures = {finding: f"{number}-{last}" for finding, number, last in counted}
    return {
        pk: f"{moves.get(pk, 0)}.{rulings.get(pk, 0)}.{closures.get(pk, 0)}"
        for pk in findings
    }


def mark_of(finding: Finding) -> str:
    """Return the mark of one finding. Three queries."""
    return marks_of([finding.pk])[finding.pk]


def hold_as_seen(finding: Finding, mark: str) -> Finding:
    """Return `finding`, locked until the transaction ends, if it still is what `mark` says. Raises `Moved`."""
    found = locked(finding)
    if mark_of(found) != mark:
        raise Moved(
            f"{found} changed since you opened the page; it is {found.get_state_display()} now. "
            "Read what happened, and send your words again if they still hold."
        )
    return found
