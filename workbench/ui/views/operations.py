"""Operations: what this installation can and cannot do, its workers and queues."""

from __future__ import annotations

from collections import Counter

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from workbench.access.rights import teams_with
from workbench.access.roles import ADMINISTER
from workbench.ui.checks import run_checks
from workbench.ui.panels import MAIN, RAIL, operations_panels, rendered


@require_safe
def operations(request: HttpRequest) -> HttpResponse:
    sees_all = (
        teams_with(request.user, ADMINISTER).exists() or request.user.is_superuser
    )
    results = [result for result in run_checks() if sees_all or not result.private]
    tones = Counter(result.tone for result in results)
    context = {
        "results": sorted(results, key=lambda result: _URGENCY.index(result.tone)),
        "tones": tones,
        "sees_all": sees_all,
        "main": rendered(operations_panels, request, MAIN),
        "rail": rendered(operations_panels, request, RAIL),
    }
    return render(request, "ui/operations.html", context)


_URGENCY = ("bad", "warn", "na", "ok")
