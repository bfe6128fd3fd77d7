"""One finding."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from adjudication.audits.selectors.findings import visible_findings
from workbench.access.rights import get_visible_or_404


@require_safe
@login_required
def by_id(request: HttpRequest, pk: int) -> HttpResponse:
    """What was found, and what was decided about it."""
    found = get_visible_or_404(
        visible_findings(request.user).select_related("instance"), pk=pk
    )
    return render(request, "audits/finding.html", {"finding": found})
