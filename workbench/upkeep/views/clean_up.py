"""Ask for a clean-up now."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_POST

from workbench.access.models import User
from workbench.access.rights import AccessDenied
from workbench.jobs import submit
from workbench.jobs.models import Job


@require_POST
def ask_for_clean_up(request: HttpRequest) -> HttpResponse:
    """Put a clean-up into the queue, unless one is there, and go to it. For the operator."""
    assert isinstance(request.user, User)
    if not request.user.is_superuser:
        raise AccessDenied("Only the operator cleans up.")
    job = Job.objects.filter(name="clean-up", state__in=Job.OPEN).first()
    return redirect(job or submit("clean-up", owner=request.user))
