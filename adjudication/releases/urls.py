"""Addresses below /releases/. The first words are no names of sets (`standings.models.RESERVED`)."""

from __future__ import annotations

from django.urls import path

from adjudication.releases.views import acts, compare, listed, release

app_name = "releases"
urlpatterns = [
    path("", listed.release_list, name="list"),
    path("for/<slug:slug>/", listed.of_set, name="of_set"),
    path("for/<slug:slug>/freeze/", listed.freeze, name="freeze"),
    path("id/<int:pk>/", release.by_id, name="by_id"),
    path("<slug:slug>/<str:version>/", release.detail, name="detail"),
    path("<slug:slug>/<str:version>/archive/", release.archive, name="archive"),
    path("<slug:slug>/<str:version>/manifest/", release.manifest, name="manifest"),
    path(
        "<slug:slug>/<str:version>/compare/<str:other>/",
        compare.compare_releases,
        name="compare",
    ),
    path("<slug:slug>/<str:version>/act/<slug:act>/", acts.act, name="act"),
]
