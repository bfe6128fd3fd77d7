"""The key map as a page, for whoever has no script or has switched the keys off."""

from __future__ import annotations

from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe


@login_not_required
@require_safe
def keys(request: HttpRequest) -> HttpResponse:
    return render(request, "ui/keys.html")
