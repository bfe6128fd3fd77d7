"""Reviews: decisions, the queue, texts under way, conversations, notifications."""

from __future__ import annotations

from curation.reviews.models.notice import Mute, Notification
from curation.reviews.models.queue import QueueEntry, SavedFilter
from curation.reviews.models.review import (
    Retranslation,
    Review,
    ReviewEnd,
    ReviewPolicy,
    TermBasis,
)
from curation.reviews.models.text import (
    Comment,
    CommentText,
    Draft,
    FileMark,
    Look,
    Thread,
)

__all__ = [
    "Comment",
    "CommentText",
    "Draft",
    "FileMark",
    "Look",
    "Mute",
    "Notification",
    "QueueEntry",
    "Retranslation",
    "Review",
    "ReviewEnd",
    "ReviewPolicy",
    "SavedFilter",
    "TermBasis",
    "Thread",
]
