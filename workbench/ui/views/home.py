"""Home: what waits for me, what runs, what happened."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from workbench.ui.panels import MAIN, RAIL, home_facts, home_panels, rendered, stated


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    context = {
        "facts": stated(home_facts, request),
        "main": rendered(home_panels, request, MAIN),
        "rail": rendered(home_panels, request, RAIL),
    }
    return render(request, "ui/home.html", context)
