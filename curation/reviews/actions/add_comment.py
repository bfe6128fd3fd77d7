"""Say something about lines of a translation or of a source item, or answer in a thread."""

from __future__ import annotations

from dataclasses import dataclass

from django.db import transaction

from curation.instances.models import Definition, Instance, Item, Translation
from curation.reviews.anchors import quoted
from curation.reviews.mentions import mentioned
from curation.reviews.models import Comment, CommentText, Notification, Thread
from curation.reviews.notify import tell
from workbench.access.models import User
from workbench.access.rights import require
from workbench.access.roles import REVIEW
from workbench.events.log import record

LONGEST = 50_000
"""Characters that one comment may have."""


class Unsaid(ValueError):
    """The comment cannot be taken as it is. The text says why, in words."""


@dataclass(frozen=True)
class About:
    """What a new thread is about: lines `first` to `last` of `text`, a translation's or a source item's."""

    translation: Translation | None
    item: Item | None
    text: str
    first: int
    last: int


@transaction.atomic
def open_thread(
    user: User, definition: Definition, about: About, text: str, key: str
) -> Comment:
    """Return the first comment of a new thread on `about`. The same `key` again returns what it said the first time.

    Raises `AccessDenied`, `Unsaid` for a text or lines that cannot be taken.
    """
    instance = definition.instance
    require(user, REVIEW, instance)
    text = said(text)
    try:
        quote = quoted(about.text, about.first, about.last)
    except ValueError as error:
        raise Unsaid(str(error).capitalize()) from None
    # One form, one comment: whoever sends it twice at once waits here for the first.
    User.objects.select_for_update(no_key=True).get(pk=user.pk)
    if earlier := _earlier(user, key):
        return earlier
    thread = Thread.objects.create(
        instance=instance,
        definition=definition,
        translation=about.translation,
        item=about.item,
        item_name=about.item.qualified_name if about.item else "",
        line_start=about.first,
        line_end=about.last,
        quote=quote,
        opened_by=user,
    )
    return _say(user, thread, text, key)


@transaction.atomic
def add_comment(user: User, thread: Thread, text: str, key: str) -> Comment:
    """Return the new comment in `thread`, which stays open or resolved as it is. Raises as `open_thread`."""
    require(user, REVIEW, thread.instance)
    text = said(text)
    User.objects.select_for_update(no_key=True).get(pk=user.pk)
    if earlier := _earlier(user, key):
        return earlier
    return _say(user, thread, text, key)


def said(text: str) -> str:
    """Return `text` as it is kept: line ends as LF, nothing around it. Raises `Unsaid`."""
    kept = text.replace("\r\n", "\n").strip()
    if not kept:
        raise Unsaid("Write something first.")
    if len(kept) > LONGEST:
        raise Unsaid(
            f"The comment has {len(kept):,} characters; at most {LONGEST:,} can be kept."
        )
    return kept


def tell_mentioned(by: User, comment: Comment, text: str, known: str = "") -> list[int]:
    """Tell those whom `text` mentions and `known`, an earlier state of it, did not; return their ids.

    Only who may see the instance is told.
    """
    thread = comment.thread
    names = set(mentioned(text)) - set(mentioned(known))
    people = [
        person
        for person in User.objects.filter(username__in=names, is_active=True)
        if Instance.objects.visible_to(person).filter(pk=thread.instance_id).exists()
    ]
    tell(
        people,
        Notification.MENTION,
        thread.definition,
        _first_line(text),
        by=by,
        anchor=f"thread-{thread.pk}",
    )
    return [person.pk for person in people]


def _earlier(user: User, key: str) -> Comment | None:
    return Comment.objects.filter(author=user, key=key).first()


def _say(user: User, thread: Thread, text: str, key: str) -> Comment:
    before = set(thread.comments.values_list("author_id", flat=True))
    comment = Comment.objects.create(thread=thread, author=user, key=key)
    CommentText.objects.create(comment=comment, text=text)
    named = tell_mentioned(user, comment, text)
    others = (before | {thread.opened_by_id}) - {*named, user.pk}
    tell(
        others,
        Notification.REPLY,
        thread.definition,
        _first_line(text),
        by=user,
        anchor=f"thread-{thread.pk}",
    )
    record(
        "comment.added",
        user,
        thread.definition,
        thread=thread.pk,
        comment=comment.pk,
        line=thread.line_start,
    )
    return comment


def _first_line(text: str) -> str:
    line = text.split("\n", 1)[0]
    return line if len(line) <= 200 else f"{line[:199]}…"
