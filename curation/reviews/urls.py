"""Addresses below /review/."""

from __future__ import annotations

from django.urls import path

from curation.reviews.views import queue

app_name = "reviews"
urlpatterns = [
    path("", queue.queue, name="queue"),
    path("next/", queue.take_next, name="next"),
    path("lease/<int:definition_id>/", queue.lease, name="lease"),
    path("lease/<int:definition_id>/give-back/", queue.give_back, name="give_back"),
]
