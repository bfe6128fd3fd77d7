"""How findings move: the one table, and the one way to move one. Source: audit.md, "Queue"."""

from __future__ import annotations

from django.utils import timezone

from adjudication.audits.models import Finding, TurningPoint
from workbench.access.models import User
from workbench.events.correlation import current_correlation

MOVES: dict[str, frozenset[str]] = {
    Finding.NEW: frozenset({Finding.TRIAGED}),
    Finding.TRIAGED: frozenset(
        {Finding.CONFIRMED, Finding.REJECTED, Finding.NEEDS_EVIDENCE, Finding.DUPLICATE}
    ),
    Finding.NEEDS_EVIDENCE: frozenset({Finding.TRIAGED}),
    Finding.CONFIRMED: frozenset({Finding.REPAIR_DRAFTED, Finding.TRIAGED}),
    Finding.REPAIR_DRAFTED: frozenset({Finding.REPAIRED, Finding.CONFIRMED}),
    Finding.REPAIRED: frozenset({Finding.VERIFIED, Finding.CONFIRMED}),
    Finding.VERIFIED: frozenset({Finding.RELEASED, Finding.CONFIRMED}),
    Finding.REJECTED: frozenset({Finding.TRIAGED}),
    Finding.DUPLICATE: frozenset({Finding.TRIAGED}),
    Finding.RELEASED: frozenset({Finding.CONFIRMED}),
}
# Nobody ruled on these yet.
UNDECIDED = frozenset({Finding.NEW, Finding.TRIAGED, Finding.NEEDS_EVIDENCE})
# Ruled to be faults, without a repair that holds: they keep their instance from shipping.
BLOCKING = frozenset({Finding.CONFIRMED, Finding.REPAIR_DRAFTED})
# From here a person may rule (anew), or set apart what is not the same.
OPEN_TO_RULING = UNDECIDED | {Finding.CONFIRMED}
CLOSED = frozenset(
    {
        Finding.REJECTED,
        Finding.DUPLICATE,
        Finding.REPAIRED,
        Finding.VERIFIED,
        Finding.RELEASED,
    }
)
# Those that a repair settled, machine-checked or as a person said.
MENDED = frozenset({Finding.REPAIRED, Finding.VERIFIED, Finding.RELEASED})
# Where a closed finding goes when its closure still checks on a later revision.
REOPENED = {
    Finding.REJECTED: Finding.TRIAGED,
    Finding.DUPLICATE: Finding.TRIAGED,
    Finding.REPAIRED: Finding.CONFIRMED,
    Finding.VERIFIED: Finding.CONFIRMED,
    Finding.RELEASED: Finding.CONFIRMED,
}
DISMISSALS = (
    ("intended", "the spec means what it says"),
    ("not_reproducible", "it cannot be reproduced"),
    ("checker", "the checker is wrong"),
    ("out_of_scope", "not what the instance is about"),
    ("other", "other, see the words"),
)


class WrongMove(Exception):
    """The finding is not in a state from which that can be done. The text says in which it is, and what can be done."""


def move(
    finding: Finding, to: str, by: User | None, *, reason: str = "", code: str = ""
) -> TurningPoint:
    """Return the turning point that moves `finding`, locked by the caller, to a state. Raises `WrongMove`."""
    if to not in MOVES[finding.state]:
        names = dict(Finding.STATES)
        ways = ", ".join(names[state] for state in sorted(MOVES[finding.state]))
        raise WrongMove(
            f"{finding} is {finding.get_state_display()}; from there it can become {ways}, not {names[to]}."
        )
    before, finding.state = finding.state, to
    finding.moved_at = timezone.now()
    finding.save(update_fields=["state", "moved_at"])
    return TurningPoint.objects.create(
        finding=finding,
        before=before,
        after=to,
        by=by,
        code=code,
        reason=reason,
        correlation=current_correlation(),
    )
