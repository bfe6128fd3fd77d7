"""Search over everything that this person may see."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from workbench.access.models import User
from workbench.ui.search import SHORTEST, found, providers

LONGEST = 200


@require_safe
def search(request: HttpRequest) -> HttpResponse:
    words = request.GET.get("q", "").strip()[:LONGEST]
    groups = found(request.user, words) if isinstance(request.user, User) else []
    context = {
        "words": words,
        "groups": groups,
        "too_short": 0 < len(words) < SHORTEST,
        "kinds": ", ".join(provider.name for provider in providers),
    }
    return render(request, "ui/search.html", context)
