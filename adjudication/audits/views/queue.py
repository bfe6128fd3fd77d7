"""The audit queue."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.db.models import Count, Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from adjudication.audits.selectors.claims import may_claim_somewhere
from adjudication.audits.selectors.findings import (
    SEVERITY_TONES,
    TONES,
    FindingFilter,
    finding_facets,
    listed_findings,
)
from curation.instances.models import Instance
from workbench.access.roles import ADJUDICATE
from workbench.ui.paging import count_up_to, page_by_key


@require_safe
@login_required
def queue(request: HttpRequest) -> HttpResponse:
    """Findings, newest first; closed and snoozed ones only when asked for."""
    wanted = FindingFilter.from_query(request.GET)
    found = listed_findings(request.user, wanted)
    rows = found.select_related("instance", "assignee").annotate(
        closure_count=Count("closures"),
        proved_count=Count("closures", filter=Q(closures__run__isnull=False)),
    )
    page = page_by_key(rows, request, ("-pk",))
    context = {
        "page": page,
        "listed": [(TONES[r.state], SEVERITY_TONES[r.severity], r) for r in page.rows],
        "total": count_up_to(found),
        "facets": finding_facets(request.user, wanted),
        "filtered": bool(wanted),
        "filter": wanted.query().removeprefix("?"),
        "may_rule": Instance.objects.visible_to(request.user, ADJUDICATE).exists(),
        "may_claim": may_claim_somewhere(request.user),
    }
    return render(request, "audits/list.html", context)
