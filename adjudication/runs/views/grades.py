"""The grades of one instance."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from adjudication.runs.models import MODES
from adjudication.runs.selectors.grades import (
    CELL,
    failure_reasons,
    grade_rows,
    heatmap,
)
from adjudication.runs.views.submissions import submittable
from curation.instances.views.pages import instance_page
from workbench.access.models import User
from workbench.ui.parts import Tab


@require_safe
@login_required
def grades(request: HttpRequest, slug: str) -> HttpResponse:
    """Current runs by configuration, spec by run as a picture with its table, and why specs failed."""
    assert isinstance(request.user, User)  # login_required
    page = instance_page(request, slug, "grades")
    wanted = request.GET.get("mode", "")
    found = heatmap(page.instance, wanted if wanted in dict(MODES) else "")
    switch = [
        Tab("Both modes", request.path, not wanted),
        *(Tab(words, f"?mode={mode}", wanted == mode) for mode, words in MODES),
    ]
    context = page.context(
        grades=grade_rows(page.instance),
        map=found,
        cell=CELL,
        reasons=failure_reasons(found),
        switch=switch,
        modes=dict(MODES),
        may_submit=submittable(request.user).filter(pk=page.instance.pk).exists(),
    )
    return render(request, "runs/grades.html", context)
