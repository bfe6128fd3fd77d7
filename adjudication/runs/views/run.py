"""One grading run."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from adjudication.runs.registration import visible_runs
from workbench.access.rights import get_visible_or_404


@require_safe
@login_required
def detail(request: HttpRequest, run_id: int) -> HttpResponse:
    """What a run found, spec by spec."""
    run = get_visible_or_404(
        visible_runs(request.user).select_related(
            "submission__configuration", "instance", "revision", "job"
        ),
        pk=run_id,
    )
    return render(
        request, "runs/detail.html", {"run": run, "outcomes": run.outcomes.all()}
    )
