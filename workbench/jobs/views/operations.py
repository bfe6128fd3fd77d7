"""The part of the operations page about jobs, by itself."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from workbench.jobs import panels


@require_safe
def operations_fragment(request: HttpRequest) -> HttpResponse:
    """Workers, queues, what runs, what is stuck, what ended badly: asked for anew when something happens."""
    return render(request, "jobs/operations_panel.html", panels.operations(request))
