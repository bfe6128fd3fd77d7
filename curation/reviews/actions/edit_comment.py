"""Change one's own comment, or hide it. What it said before stays in its history."""

from __future__ import annotations

from django.db import transaction

from curation.reviews.actions.add_comment import said, tell_mentioned
from curation.reviews.models import Comment, CommentText
from workbench.access.models import User
from workbench.access.rights import AccessDenied, allowed, require
from workbench.access.roles import MAINTAIN, REVIEW
from workbench.events.log import record


@transaction.atomic
def edit_comment(user: User, comment: Comment, text: str) -> CommentText:
    """Return the newest state of the comment. The same text again changes nothing and is not recorded.

    Raises `AccessDenied` for anybody but its author, `Unsaid` for a text that cannot be taken.
    """
    locked = _locked(comment)
    require(user, REVIEW, locked.thread.instance)
    if locked.author_id != user.pk:
        raise AccessDenied("Only who wrote a comment may change it.")
    text = said(text)
    newest = locked.texts.latest("pk")
    if newest.text == text:
        return newest
    changed = CommentText.objects.create(comment=locked, text=text)
    tell_mentioned(user, locked, text, known=newest.text)
    record(
        "comment.edited",
        user,
        locked.thread.definition,
        thread=locked.thread_id,
        comment=locked.pk,
    )
    return changed


@transaction.atomic
def hide_comment(
    user: User, comment: Comment, *, hidden: bool = True, reason: str = ""
) -> Comment:
    """Return the comment, hidden or shown again.

    Its author may hide it; who hid it may show it again; whoever maintains the instance may do both. So an author cannot
    take back what a maintainer hid, and hiding what is hidden already does not change who hid it. Raises `AccessDenied`.
    """
    locked = _locked(comment)
    instance = locked.thread.instance
    require(user, REVIEW, instance)
    if hidden and locked.author_id != user.pk and not allowed(user, MAINTAIN, instance):
        raise AccessDenied("Only who wrote a comment, or a maintainer, may hide it.")
    if not hidden and not may_show(user, locked):
        raise AccessDenied(
            "Only who hid a comment, or a maintainer, may show it again."
        )
    if locked.hidden != hidden:
        locked.hidden = hidden
        locked.hidden_by = user if hidden else None
        locked.save(update_fields=["hidden", "hidden_by"])
        record(
            "comment.hidden" if hidden else "comment.shown",
            user,
            locked.thread.definition,
            reason=reason,
            thread=locked.thread_id,
            comment=locked.pk,
        )
    return locked


def may_show(user: User, comment: Comment) -> bool:
    """Whether `user` may show the comment again, or leave it shown: who hid it, or a maintainer."""
    own = comment.hidden_by_id if comment.hidden else comment.author_id
    return own == user.pk or allowed(user, MAINTAIN, comment.thread.instance)


def _locked(comment: Comment) -> Comment:
    rows = Comment.objects.select_for_update(of=("self",)).select_related(
        "thread__instance__team", "thread__definition__instance"
    )
    return rows.get(pk=comment.pk)
