"""A decision is bound to what its page showed: who decides on something else is told, not obeyed."""

from __future__ import annotations

from adjudication.audits.actions.settle_finding import locked
from adjudication.audits.models import Finding


class Moved(Exception):
    """The finding is not as the page showed it. The text says what to do."""


def mark_of(finding: Finding) -> str:
    """Return a mark of what a decision rests on: the last move, the ruling in force, the closures. Three queries."""
    last = finding.turning_points.order_by("-pk").values_list("pk", flat=True).first()
    ruling = finding.rulings.filter(is_current=True).values_list("pk", flat=True)
    return f"{last or 0}.{ruling.first() or 0}.{finding.closures.count()}"


def hold_as_seen(finding: Finding, mark: str) -> Finding:
    """Return `finding`, locked until the transaction ends, if it still is what `mark` says. Raises `Moved`."""
    found = locked(finding)
    if mark_of(found) != mark:
        raise Moved(
            f"{found} changed since you opened the page; it is {found.get_state_display()} now. "
            "Read what happened, and send your words again if they still hold."
        )
    return found
