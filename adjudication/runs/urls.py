"""Addresses below /runs/."""

from __future__ import annotations

from django.urls import path

from adjudication.runs.views import run

app_name = "runs"
urlpatterns = [
    path("<int:run_id>/", run.detail, name="detail"),
]
