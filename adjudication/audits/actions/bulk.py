"""Assign or dismiss many findings as one act.

Each goes through the action for one, with its rules and its event; they share the correlation id, so that the act can
be seen and undone as one. What is no longer as the preview showed it is left out and said.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from django.core.exceptions import PermissionDenied
from django.db import transaction

from adjudication.audits.actions.decide_seen import marks_of
from adjudication.audits.actions.settle_finding import (
    Incomplete,
    assign_finding,
    dismiss,
    words_of,
)
from adjudication.audits.models import Finding
from adjudication.audits.selectors.bulk import (
    Seen,
    why_not_assigned,
    why_not_dismissed,
)
from adjudication.audits.selectors.findings import visible_findings
from adjudication.audits.states import DISMISSALS, WrongMove
from curation.instances.locks import hold_instances
from workbench.access.models import User
from workbench.bulk import Outcome, attempt, demand_few

_REFUSALS = (WrongMove, Incomplete, PermissionDenied)


@transaction.atomic
def assign_many(user: User, items: Sequence[Seen], assignee: User | None) -> Outcome:
    """Give each of `items` to `assignee` (None: to nobody). Raises `TooMany`."""

    def assign(finding: Finding) -> str:
        obstacle = why_not_assigned(finding, assignee)
        if not obstacle:
            assign_finding(user, finding, assignee)
        return obstacle

    return _each(user, items, assign)


@transaction.atomic
def dismiss_many(user: User, items: Sequence[Seen], *, code: str, reason: str) -> Outcome:  # fmt: skip
    """Dismiss each of `items` with the same reason and words. Raises `TooMany`, and `Incomplete` where either is missing."""
    if code not in dict(DISMISSALS):
        raise Incomplete(f"Choose a reason; expected one of {', '.join(dict(DISMISSALS))}.")  # fmt: skip
    words_of(reason, "why they are dismissed")

    def drop(finding: Finding) -> str:
        obstacle = why_not_dismissed(finding)
        if not obstacle:
            dismiss(user, finding, code=code, reason=reason)
        return obstacle

    return _each(user, items, drop)


def _each(user: User, items: Sequence[Seen], act: Callable[[Finding], str]) -> Outcome:
    """Do `act` to each of `items` that is as it was seen; it returns why it did nothing, "" where it did."""
    demand_few(len(items))
    findings = _held(user, [item.finding for item in items])
    marks = marks_of(list(findings))
    done, left = [], []
    for item in items:
        finding = findings.get(item.finding)
        if finding is None:
            left.append((f"finding {item.finding}", "it is not there any more"))
            continue
        if marks[finding.pk] != item.mark:
            left.append((str(finding), "it changed since the preview"))
            continue
        obstacle = attempt(partial(act, finding), _REFUSALS)
        if obstacle:
            left.append((str(finding), obstacle))
        else:
            done.append(str(finding))
    return Outcome(done, left)


def _held(user: User, keys: Sequence[int]) -> dict[int, Finding]:
    """Return the findings that `user` sees by key, locked after their instances, as everybody locks (docs/developer/locks.md).

    Of others not even the name is told: a form can name any key.
    """
    rows = visible_findings(user).filter(pk__in=keys)
    hold_instances(rows.values_list("instance", flat=True))
    held = rows.select_for_update(of=("self",), no_key=True).order_by("pk")
    return {finding.pk: finding for finding in held.select_related("instance__team")}
