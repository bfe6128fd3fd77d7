"""Cancel and retry, as plain forms and for htmx."""

from __future__ import annotations

from collections.abc import Callable

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST

from workbench.access.models import User
from workbench.jobs.actions import WrongState, cancel, retry
from workbench.jobs.models import Job
from workbench.jobs.views.detail import detail_context, visible_job
from workbench.ui.answers import announce, done, is_htmx, safe_next


def _acted(
    request: HttpRequest,
    job_id: int,
    action: Callable[[User, Job], Job],
    words: Callable[[Job], str],
) -> HttpResponse:
    assert isinstance(request.user, User)
    job = visible_job(request, job_id)
    try:
        said = words(action(request.user, job))
    except WrongState as refused:
        if not is_htmx(request):
            messages.error(request, str(refused))
            return redirect(safe_next(request, job.get_absolute_url()))
        context = detail_context(request, visible_job(request, job_id)) | {
            "refused": str(refused)
        }
        return announce(
            render(request, "jobs/live.html", context, status=409), str(refused)
        )
    if not is_htmx(request):
        return done(request, safe_next(request, job.get_absolute_url()), said)
    context = detail_context(request, visible_job(request, job_id))
    return announce(render(request, "jobs/live.html", context), said)


@require_POST
def job_cancel(request: HttpRequest, job_id: int) -> HttpResponse:
    """Cancel the job: at once while it waits, by its worker while it runs."""
    return _acted(
        request,
        job_id,
        cancel,
        lambda job: (
            "Cancelled."
            if job.state == Job.CANCELLED
            else "Asked to stop; its worker ends it within seconds."
        ),
    )


@require_POST
def job_retry(request: HttpRequest, job_id: int) -> HttpResponse:
    """Put a job that ended without a result back into the queue."""
    return _acted(request, job_id, retry, lambda job: "Back in the queue.")
