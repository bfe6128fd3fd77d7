"""What other pages show of findings: the count in the top bar, the home page, the tab and the blockers of an instance."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.db.models import Count, Q
from django.http import HttpRequest
from django.urls import reverse

from adjudication.audits.actions.claim_finding import RIGHTS
from adjudication.audits.models import Closure, Finding
from adjudication.audits.selectors.contradictions import contradictions
from adjudication.audits.selectors.findings import (
    SEVERITY_TONES,
    TONES,
    waiting_findings,
)
from adjudication.audits.states import BLOCKING, CLOSED, UNDECIDED
from curation.instances.contributions import Blocker, Tab
from curation.instances.models import Definition, Placement, Revision
from workbench.access.models import User

_COUNTED, _SHOWN = 1000, 8


def waiting(request: HttpRequest) -> int | str | None:
    """Return how many findings wait that this person may see; None for none. One query."""
    if not isinstance(request.user, User):
        return None
    number = waiting_findings(request.user).order_by()[:_COUNTED].count()
    return f"{_COUNTED - 1}+" if number == _COUNTED else number or None


def home_panel(request: HttpRequest) -> dict[str, Any] | None:
    """Return the newest findings that wait. One query; nothing where none does."""
    if not isinstance(request.user, User):
        return None
    rows = waiting_findings(request.user).select_related("instance", "assignee")
    listed = [(TONES[row.state], SEVERITY_TONES[row.severity], row) for row in rows[:_SHOWN]]  # fmt: skip
    return {"listed": listed} if listed else None


def audit_tab(revision: Revision) -> Iterable[Tab]:
    """Return the tab of an instance: the queue, filtered to it, with what is open. One query."""
    number = (
        Finding.objects.filter(instance=revision.instance_id, snoozed_hash="")
        .exclude(state__in=CLOSED)
        .count()
    )
    address = f"{reverse('audits:list')}?instance={revision.instance.slug}"
    yield Tab("audit", "Audit", address, number)


def spec_panel(placement: Placement, rights: frozenset[str]) -> dict[str, Any] | None:
    """Return the findings about a spec, open ones first, and whether this person may report it. One query."""
    if placement.kind != Definition.SPEC:
        return None
    found = Finding.objects.filter(
        pk__in=Closure.objects.filter(specs=placement.definition_id).values("finding")
    ).annotate(proved=Count("closures", filter=Q(closures__run__isnull=False)))
    rows = sorted(found.order_by("-number"), key=lambda row: row.state in CLOSED)
    instance = placement.definition.instance
    return {
        "instance": instance,
        "definition": placement.definition,
        "listed": [(TONES[row.state], row) for row in rows[:_SHOWN]],
        "more": max(0, len(rows) - _SHOWN),
        "may_claim": bool(RIGHTS & rights),
    }


def blockers(revision: Revision) -> Iterable[Blocker]:
    """Return what the audit holds against shipping: findings that nobody decided, confirmed ones without a repair that
    holds, and contradictions. Each finding is a blocker of its own: who signs for one signs for no other.
    """
    instance = revision.instance
    undecided = Finding.objects.filter(instance=instance, state__in=UNDECIDED)
    for finding in undecided.order_by("number"):
        yield Blocker(
            "warn",
            "audit",
            f"F-{finding.number} waits for a decision: {finding.title}",
            "decide it",
            reverse("audits:finding", args=[instance.slug, finding.number]),
        )
    confirmed = Finding.objects.filter(
        instance=instance,
        state__in=BLOCKING,
    ).order_by("number")
    for finding in confirmed:
        yield Blocker(
            "bad",
            "audit",
            f"open confirmed finding F-{finding.number}: {finding.title}",
            "repair it",
            reverse("audits:finding", args=[instance.slug, finding.number]),
        )
    for found in contradictions(revision.instance_id, [revision.pk]):
        yield Blocker(
            "bad",
            "audit",
            f"{found.named} on r{revision.number}: {found.words} ({found.proved}, {found.refuted})",
            "find out which of both is wrong",
            f"{found.proved.get_absolute_url()}?open={found.specs[0]}",
        )
