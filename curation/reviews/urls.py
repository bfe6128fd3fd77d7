"""Addresses below /review/."""

from __future__ import annotations

from django.urls import path

from curation.reviews.views import (
    bulk,
    decide,
    lease,
    live,
    marks,
    policy,
    queue,
    threads,
    tick,
    undo,
    write,
)

_ONE = "<slug:slug>/<int:definition_id>/"

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
    path("lease/<int:definition_id>/leave/", lease.leave, name="leave"),
    path("lease/<int:definition_id>/give-back/", lease.give_back, name="give_back"),
    path("<slug:slug>/policy/", policy.policy, name="policy"),
    path("<slug:slug>/marks/", marks.marks, name="marks"),
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
    path(_ONE + "live/", live.live, name="live"),
    path(_ONE + "tick/", tick.tick, name="tick"),
    path("definitions/<int:definition_id>/comment/", threads.new, name="thread_new"),
    path("threads/<int:thread_id>/", threads.at, name="thread"),
    path("threads/<int:thread_id>/reply/", threads.reply, name="reply"),
    path("threads/<int:thread_id>/resolve/", threads.resolve, name="resolve"),
    path("comments/<int:comment_id>/edit/", threads.edit, name="edit_comment"),
    path("comments/<int:comment_id>/hide/", threads.hide, name="hide_comment"),
    path("comments/<int:comment_id>/", threads.history, name="comment_history"),
]
