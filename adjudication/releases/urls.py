"""Addresses below /releases/."""

from __future__ import annotations

from django.urls import path

from adjudication.releases.views import release

app_name = "releases"
urlpatterns = [
    path("id/<int:pk>/", release.by_id, name="by_id"),
    path("<slug:slug>/<str:version>/", release.detail, name="detail"),
]
