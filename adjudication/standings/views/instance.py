"""The grades of one instance: its dashboard, and what can be downloaded of it."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from adjudication.runs.views.submissions import submittable
from adjudication.standings.selectors.dashboard import dashboard
from adjudication.standings.selectors.pictures import MODE_WORDS
from adjudication.standings.views.boards import TYPES, as_file, asked, switch
from curation.instances.views.pages import instance_page
from workbench.access.models import User


@require_safe
@login_required
def grades(request: HttpRequest, slug: str) -> HttpResponse:
    """Specs by run, grades by configuration, the hardest specs, why specs failed, and how it went."""
    assert isinstance(request.user, User)  # login_required
    page = instance_page(request, slug, "grades")
    mode, _ = asked(request)
    context = page.context(
        dash=dashboard(page.revision, mode),
        mode=mode,
        mode_switch=switch(request, "mode", mode, {"": "both", **MODE_WORDS}),
        download=f"?mode={mode}" if mode else "",
        may_submit=submittable(request.user).filter(pk=page.instance.pk).exists(),
    )
    return render(request, "standings/grades.html", context)


@require_safe
@login_required
def download(request: HttpRequest, slug: str, name: str, kind: str) -> HttpResponse:
    """One picture as SVG or its table as CSV, of all current runs."""
    page = instance_page(request, slug, "grades")
    mode, _ = asked(request)
    if kind not in TYPES:
        raise Http404("Pictures come as svg and csv.")
    picture = dashboard(page.revision, mode, whole=True).by_name(name)
    if picture is None or (kind == "svg" and not picture.svg):
        raise Http404("There is no such picture.")
    body = picture.file if kind == "svg" else picture.csv
    return as_file(body, f"{slug}-{name}.{kind}", kind)
