"""Addresses below /audit/."""

from __future__ import annotations

from django.urls import path

from adjudication.audits.views import acts, finding, queue

app_name = "audits"
urlpatterns = [
    path("", queue.queue, name="list"),
    path("id/<int:pk>/", finding.by_id, name="by_id"),
    path("<slug:slug>/F-<int:number>/", finding.page, name="finding"),
    path("<slug:slug>/F-<int:number>/<slug:act>/", acts.act, name="act"),
]
