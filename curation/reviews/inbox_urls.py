"""Addresses below /inbox/."""

from __future__ import annotations

from django.urls import path

from curation.reviews.views import inbox

app_name = "inbox"
urlpatterns = [
    path("", inbox.inbox, name="list"),
    path("<int:notification_id>/", inbox.open_one, name="open"),
    path("read/", inbox.read, name="read"),
    path("mute/", inbox.mute_one, name="mute"),
    path("mute/<int:mute_id>/end/", inbox.unmute_one, name="unmute"),
]
