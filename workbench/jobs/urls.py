from __future__ import annotations

from django.urls import path

from workbench.jobs.views.detail import job_detail, job_fragment, job_log
from workbench.jobs.views.list import home_jobs, job_list
from workbench.jobs.views.operations import operations_fragment
from workbench.jobs.views.stop import job_cancel, job_retry

app_name = "jobs"
urlpatterns = [
    path("", job_list, name="list"),
    path("home/", home_jobs, name="home"),
    path("operations/", operations_fragment, name="operations"),
    path("<int:job_id>/", job_detail, name="detail"),
    path("<int:job_id>/log/", job_log, name="log"),
    path("<int:job_id>/live/", job_fragment, name="fragment"),
    path("<int:job_id>/cancel/", job_cancel, name="cancel"),
    path("<int:job_id>/retry/", job_retry, name="retry"),
]
