"""Addresses below /instances/ that show what was graded."""

from __future__ import annotations

from django.urls import path

from adjudication.standings.views import instance

app_name = "grades"
urlpatterns = [
    path("<slug:slug>/grades/", instance.grades, name="instance"),
    path(
        "<slug:slug>/grades/<slug:name>.<str:kind>", instance.download, name="download"
    ),
]
