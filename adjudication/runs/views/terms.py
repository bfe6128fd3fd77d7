"""The button that compiles a revision."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse

from adjudication.runs.actions.compile_revision import compile_revision
from curation.instances.views.pages import instance_page
from workbench.access.models import User
from workbench.ui.answers import takes_forms_of


@takes_forms_of(lambda slug: reverse("instances:detail", args=[slug]))
@login_required
def compile_now(request: HttpRequest, slug: str) -> HttpResponse:
    """Queue the job that compiles the current revision, and go to it."""
    assert isinstance(request.user, User)  # login_required
    page = instance_page(request, slug, "overview")
    return redirect("jobs:detail", compile_revision(request.user, page.revision).pk)
