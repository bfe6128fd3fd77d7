"""Addresses below /instances/."""

from __future__ import annotations

from django.urls import path, re_path

from curation.instances.views import (
    definition,
    explain,
    file_change,
    files,
    history,
    imports,
    links,
    lists,
    overview,
)
from curation.reviews.views import review

app_name = "instances"
urlpatterns = [
    path("", lists.instance_list, name="list"),
    path("import/", imports.import_page, name="import"),
    re_path(
        r"^id/(?P<kind>instance|revision|definition)/(?P<pk>[0-9]{1,18})/$",
        lists.by_id,
        name="by_id",
    ),
    path("explain/", explain.explain_all, name="explain_all"),
    path("explain/<slug:code>/", explain.explain, name="explain"),
    path("<slug:slug>/", overview.detail, name="detail"),
    path("<slug:slug>/definitions/", overview.definitions, name="definitions"),
    path(
        "<slug:slug>/definitions/<int:definition_id>/",
        review.review,
        name="definition",
    ),
    path(
        "<slug:slug>/definitions/<int:definition_id>/candidates/",
        definition.candidates,
        name="candidates",
    ),
    path("<slug:slug>/definitions/<int:definition_id>/link/", links.link, name="link"),
    path("<slug:slug>/specs/", overview.specs, name="specs"),
    path("<slug:slug>/findings/", overview.findings, name="findings"),
    path("<slug:slug>/files/", files.files, name="files"),
    path("<slug:slug>/files/<path:path>", files.file, name="file"),
    path("<slug:slug>/raw/<path:path>", files.raw, name="raw"),
    path("<slug:slug>/source/", links.links, name="links"),
    path("<slug:slug>/source/files/<path:path>", files.source_file, name="source_file"),
    path("<slug:slug>/source/raw/<path:path>", files.source_raw, name="source_raw"),
    path("<slug:slug>/history/", history.history, name="history"),
    path("<slug:slug>/revisions/<int:number>/", history.revision, name="revision"),
    path(
        "<slug:slug>/revisions/<int:number>/files/<path:path>",
        file_change.file_change,
        name="file_change",
    ),
    path("<slug:slug>/export/", files.export, name="export"),
    path("<slug:slug>/solver/<slug:mode>/", files.solver, name="solver"),
]
