"""Addresses below /review/."""

from __future__ import annotations

from django.urls import path

from curation.reviews.views import lease, queue

app_name = "reviews"
urlpatterns = [
    path("", queue.queue, name="queue"),
    path("next/", queue.take_next, name="next"),
    path("filters/", queue.keep_filter, name="keep_filter"),
    path("filters/<int:filter_id>/forget/", queue.drop_filter, name="drop_filter"),
    path("lease/<int:definition_id>/", lease.lease, name="lease"),
    path("lease/<int:definition_id>/give-back/", lease.give_back, name="give_back"),
]
