"""Addresses below /boards/."""

from __future__ import annotations

from django.urls import path

from adjudication.standings.views import boards, configurations, imports, sets

app_name = "boards"
urlpatterns = [
    path("", boards.board_list, name="list"),
    path("make/", sets.make, name="make"),
    path("import/", imports.import_page, name="import"),
    path(
        "configurations/id/<int:pk>/", configurations.by_id, name="configuration_by_id"
    ),
    path("configurations/<slug:slug>/", configurations.detail, name="configuration"),
    path("id/<int:pk>/", boards.by_id, name="by_id"),
    path("<slug:slug>/", boards.detail, name="detail"),
    path("<slug:slug>/set/", sets.edit, name="edit"),
    path("<slug:slug>/set/policy/", sets.policy, name="policy"),
    path("<slug:slug>/set/add/", sets.add, name="add"),
    path("<slug:slug>/set/remove/", sets.remove, name="remove"),
    path("<slug:slug>/board.csv", boards.board_csv, name="csv"),
    path("<slug:slug>/board.json", boards.board_json, name="json"),
    path("<slug:slug>/<slug:name>.<str:kind>", boards.download, name="download"),
]
