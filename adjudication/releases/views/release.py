"""One release."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_safe

from adjudication.releases.registration import visible_releases
from workbench.access.rights import get_visible_or_404


@require_safe
@login_required
def by_id(request: HttpRequest, pk: int) -> HttpResponse:
    """The page of a release by its id."""
    found = get_visible_or_404(
        visible_releases(request.user).select_related("set"), pk=pk
    )
    return redirect("releases:detail", found.set.slug, found.version)


@require_safe
@login_required
def detail(request: HttpRequest, slug: str, version: str) -> HttpResponse:
    """What was frozen, what blocks it, what came out."""
    found = get_visible_or_404(
        visible_releases(request.user).select_related("set"),
        set__slug=slug,
        version=version,
    )
    return render(request, "releases/release.html", {"release": found})
