"""Addresses below /review/."""

from __future__ import annotations

from django.urls import path

from curation.reviews.views import bulk, lease, queue, undo

app_name = "reviews"
urlpatterns = [
    path("", queue.queue, name="queue"),
    path("next/", queue.take_next, name="next"),
    path("bulk/", bulk.bulk, name="bulk"),
    path("bulk/do/", bulk.bulk_do, name="bulk_do"),
    path("acts/<uuid:correlation>/", undo.act, name="act"),
    path("acts/<uuid:correlation>/undo/", undo.undo, name="undo"),
    path("filters/", queue.keep_filter, name="keep_filter"),
    path("filters/<int:filter_id>/forget/", queue.drop_filter, name="drop_filter"),
    path("lease/<int:definition_id>/", lease.lease, name="lease"),
    path("lease/<int:definition_id>/give-back/", lease.give_back, name="give_back"),
]
