"""Addresses below /audit/."""

from __future__ import annotations

from django.urls import path

from adjudication.audits.views import finding

app_name = "audits"
urlpatterns = [
    path("id/<int:pk>/", finding.by_id, name="by_id"),
]
