"""The addresses of the site. Apps bring their own; this is the one place that knows them all."""

from __future__ import annotations

from django.conf import settings
from django.urls import include, path

urlpatterns = [
    path("", include("workbench.ui.urls")),
    path("", include("workbench.access.urls")),
    path("jobs/", include("workbench.jobs.urls")),
    path("operations/", include("workbench.upkeep.urls")),
    path("events/", include("workbench.events.urls")),
    path("instances/", include("curation.instances.urls")),
    path("instances/", include("adjudication.standings.instance_urls")),
    path("review/", include("curation.reviews.urls")),
    path("inbox/", include("curation.reviews.inbox_urls")),
    path("runs/", include("adjudication.runs.urls")),
    path("audit/", include("adjudication.audits.urls")),
    path("boards/", include("adjudication.standings.urls")),
    path("releases/", include("adjudication.releases.urls")),
]
if settings.JOB_ENGINE == "rq":
    urlpatterns.append(path("operations/rq/", include("workbench.jobs.rq_pages")))
handler400 = "workbench.ui.views.errors.bad_request"
handler403 = "workbench.ui.views.errors.forbidden"
handler404 = "workbench.ui.views.errors.not_found"
handler500 = "workbench.ui.views.errors.server_error"
