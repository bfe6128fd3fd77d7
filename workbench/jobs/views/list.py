"""All jobs that a person may see, newest first. Every filter is in the URL."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from workbench.jobs import panels
from workbench.jobs.selectors import JobFilter, job_facets, live_workers, visible_jobs
from workbench.ui.paging import page_by_key

SIZE = 50


@require_safe
def home_jobs(request: HttpRequest) -> HttpResponse:
    """The panel of the home page, by itself."""
    return render(request, "jobs/home_panel.html", panels.home_jobs(request))


@require_safe
def job_list(request: HttpRequest) -> HttpResponse:
    """The page; for htmx, its list of rows."""
    chosen = JobFilter.read(request.GET)
    jobs = chosen.apply(visible_jobs(request.user), request.user).select_related(
        "owner"
    )
    context = {
        "page": page_by_key(jobs, request, ("-pk",), size=SIZE),
        "filtered": bool(chosen),
        "instance": chosen.instance,
        "fragment_url": request.get_full_path(),
    }
    if request.headers.get("HX-Target") == "job-rows":
        return render(request, "jobs/rows.html", context)
    context |= {
        "facets": job_facets(request.user, chosen),
        "workers": list(live_workers()),
    }
    return render(request, "jobs/list.html", context)
