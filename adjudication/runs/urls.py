"""Addresses below /runs/."""

from __future__ import annotations

from django.urls import path

from adjudication.runs.views import adaptation, regrades, run, submissions, terms

app_name = "runs"
urlpatterns = [
    path("", run.run_list, name="list"),
    path("submit/", submissions.submit_page, name="submit"),
    path("submissions/", submissions.submission_list, name="submissions"),
    path("submissions/<int:pk>/", submissions.submission_detail, name="submission"),
    path("submissions/<int:pk>/retire/", submissions.retire, name="retire"),
    path("submissions/<int:pk>/restore/", submissions.restore, name="restore"),
    path("regrades/", regrades.set_list, name="regrade_sets"),
    path("regrades/make/", regrades.make, name="regrade_make"),
    path("regrades/<int:pk>/", regrades.set_page, name="regrade_set"),
    path("regrades/<int:pk>/apply/", regrades.apply, name="regrade_apply"),
    path("regrades/<int:pk>/cancel/", regrades.cancel, name="regrade_cancel"),
    path("adaptation/<slug:slug>/", adaptation.adaptation, name="adaptation"),
    path("adaptation/<slug:slug>/make/", adaptation.adapt_now, name="adapt"),
    path("edits/<slug:kind>/", adaptation.edit_kind, name="edit_kind"),
    path("compile/<slug:slug>/", terms.compile_now, name="compile"),
    path("<int:run_id>/", run.detail, name="detail"),
    path("<int:run_id>/receipt/", run.receipt, name="receipt"),
    path("<int:run_id>/recheck/", run.recheck, name="recheck"),
    path("<int:run_id>/compare/<int:other_id>/", run.compare, name="compare"),
]
