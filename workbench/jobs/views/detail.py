"""One job: how far it is, what it says, what came out; and its live parts as fragments."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from workbench.access.models import User
from workbench.access.rights import get_visible_or_404
from workbench.jobs.actions import may_stop
from workbench.jobs.models import Job
from workbench.jobs.selectors import log_of, log_text, visible_jobs, why_waiting
from workbench.numbers import whole_number


def visible_job(request: HttpRequest, job_id: int) -> Job:
    """Return the job, or raise `Http404` if it is not there or not in this person's sight."""
    jobs = visible_jobs(request.user).select_related("owner", "team", "cancelled_by")
    return get_visible_or_404(jobs, pk=job_id)


def detail_context(request: HttpRequest, job: Job) -> dict[str, Any]:
    """Return what both the page and its live part show."""
    assert isinstance(request.user, User)
    stop = may_stop(request.user, job)
    before = request.GET.get("before", "")
    seconds = job.seconds(timezone.now())
    return {
        "job": job,
        "seconds": seconds,
        "left": _left(job, seconds),
        "percent": min(100, job.done * 100 // job.total) if job.total else None,
        "waits": why_waiting(job),
        "log": log_of(
            job,
            whole_number(before),
            traces=stop,
        ),
        "whole_log": not before,
        "may_stop": stop,
    }


def _left(job: Job, seconds: float | None) -> float | None:
    """Return how many seconds are left at the present rate; None while nobody can know."""
    if job.state != Job.RUNNING or seconds is None or not 0 < job.done < job.total:
        return None
    return seconds / job.done * (job.total - job.done)


@require_safe
def job_detail(request: HttpRequest, job_id: int) -> HttpResponse:
    """The page of a job."""
    job = visible_job(request, job_id)
    return render(request, "jobs/detail.html", detail_context(request, job))


@require_safe
def job_log(request: HttpRequest, job_id: int) -> HttpResponse:
    """The whole log as a text file."""
    assert isinstance(request.user, User)
    job = visible_job(request, job_id)
    name = f"job-{job.pk}-log.txt"
    return HttpResponse(
        log_text(job, traces=may_stop(request.user, job)),
        content_type="text/plain; charset=utf-8",
        headers={"Content-Disposition": f'attachment; filename="{name}"'},
    )


@require_safe
def job_fragment(request: HttpRequest, job_id: int) -> HttpResponse:
    """The part of the page that changes while the job lives."""
    job = visible_job(request, job_id)
    return render(request, "jobs/live.html", detail_context(request, job))
