"""Addresses below /review/."""

from __future__ import annotations

from django.urls import path

from curation.reviews.views import lease, queue

_ONE = "<slug:slug>/<int:definition_id>/"

app_name = "reviews"
urlpatterns = [
    path("", queue.queue, name="queue"),
    path("next/", queue.take_next, name="next"),
    path("filters/", queue.keep_filter, name="keep_filter"),
    path("filters/<int:filter_id>/forget/", queue.drop_filter, name="drop_filter"),
    path("lease/<int:definition_id>/", lease.lease, name="lease"),
    path("lease/<int:definition_id>/give-back/", lease.give_back, name="give_back"),
    path(_ONE + "approve/", decide.approve, name="approve"),
    path(_ONE + "send-back/", decide.send_back, name="send_back"),
    path(_ONE + "skip/", decide.skip, name="skip"),
    path(_ONE + "reviews/<int:review_id>/withdraw/", decide.withdraw, name="withdraw"),
    path(
        _ONE + "requests/<int:request_id>/withdraw/",
        decide.withdraw_asked,
        name="withdraw_request",
    ),
    path(
        _ONE + "requests/<int:request_id>/assign/",
        decide.assign_asked,
        name="assign_request",
    ),
    path(_ONE + "draft/", write.draft, name="draft"),
    path(_ONE + "save/", write.save, name="save"),
    path(_ONE + "revert/<int:number>/", write.revert, name="revert"),
]
