"""Addresses below /audit/."""

from __future__ import annotations

from django.urls import path

from adjudication.audits.views import acts, bulk, claim, finding, queue

app_name = "audits"
urlpatterns = [
    path("", queue.queue, name="list"),
    path("new/", claim.claim, name="claim"),
    path("many/", bulk.bulk, name="bulk"),
    path("many/do/", bulk.bulk_do, name="bulk_do"),
    path("id/<int:pk>/", finding.by_id, name="by_id"),
    path("<slug:slug>/F-<int:number>/", finding.page, name="finding"),
    path("<slug:slug>/F-<int:number>/<slug:act>/", acts.act, name="act"),
]
