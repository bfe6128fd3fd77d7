"""How the verbs of the review loop are undone (see undo.py)."""

from __future__ import annotations

from functools import partial

from curation.instances.models import Definition, Revision, Translation
from curation.instances.rewriting import BadText
from curation.reviews.actions.assign_entry import CannotReview, assign_entry
from curation.reviews.actions.edit_comment import edit_comment, hide_comment, may_show
from curation.reviews.actions.resolve_thread import resolve_thread
from curation.reviews.actions.restore_review import (
    NoLongerHolds,
    restore_review,
    why_not,
)
from curation.reviews.actions.withdraw_review import takes_back, withdraw_review
from curation.reviews.actions.write_translation import Overtaken, revert_translation
from curation.reviews.deciding import current_placement
from curation.reviews.models import (
    Comment,
    CommentText,
    QueueEntry,
    Retranslation,
    Review,
    Thread,
)
from curation.reviews.undo import CannotUndo, Undoer
from workbench.access.models import User
from workbench.events.models import Event
from workbench.events.telling import data_of

_REASON = "undone"
_NO_COMMENT = "the comment is no longer there"
_NO_THREAD = "the conversation is no longer there"


def all_undoers() -> list[Undoer]:
    """Return the undoers of the review loop."""
    return [
        Undoer(
            "translation.approved",
            lambda event: "the approval is taken back",
            _decided_obstacle,
            _withdraw,
        ),
        Undoer(
            "definition.skipped",
            lambda event: "it is in the first pool again",
            _decided_obstacle,
            _withdraw,
        ),
        Undoer(
            "translation.sent_back",
            lambda event: "the request is taken back",
            _decided_obstacle,
            _withdraw,
        ),
        Undoer(
            "review.withdrawn",
            lambda event: (
                f"the decision of {data_of(event).get('reviewer')} counts again"
            ),
            _restored_obstacle,
            _restore,
        ),
        Undoer(
            "review.dropped",
            lambda event: (
                f"the approval of {data_of(event).get('reviewer')} counts again"
            ),
            _restored_obstacle,
            _restore,
            after=("translation.written", "translation.reverted"),
        ),
        Undoer(
            "review.restored",
            lambda event: "the decision is taken back again",
            _decided_obstacle,
            _withdraw,
        ),
        Undoer(
            "translation.written",
            lambda event: (
                f"back to the text of version {data_of(event).get('base')}, as a new version"
            ),
            _written_obstacle,
            _revert,
        ),
        Undoer(
            "translation.reverted",
            lambda event: (
                f"back to the text of version {data_of(event).get('base')}, as a new version"
            ),
            _written_obstacle,
            _revert,
        ),
        Undoer("definition.assigned", _assigned_does, _assigned_obstacle, _unassign),
        *_conversations(),
        Undoer(
            "revision.imported",
            lambda event: "it stays",
            _imported_obstacle,
            _stays,
            never=True,
        ),
    ]


def _conversations() -> list[Undoer]:
    def hidden(event: Event) -> str:
        return "the comment is hidden; its history keeps what it said"

    hide, show = (
        (partial(_comment_obstacle, hidden=to), partial(_put_comment, hidden=to))
        for to in (True, False)
    )
    resolve, reopen = (
        (partial(_thread_obstacle, resolved=to), partial(_put_thread, resolved=to))
        for to in (True, False)
    )
    return [
        Undoer("comment.added", hidden, *hide),
        Undoer("comment.shown", hidden, *hide),
        Undoer("comment.hidden", lambda event: "the comment is shown again", *show),
        Undoer(
            "comment.edited",
            lambda event: "it says again what it said before; its history keeps both",
            _edited_obstacle,
            _say_again,
        ),
        Undoer(
            "thread.resolved",
            lambda event: "the conversation is open again",
            *reopen,
        ),
        Undoer(
            "thread.reopened",
            lambda event: "the conversation is resolved again",
            *resolve,
        ),
    ]


# ---------- decisions ----------


def _review(event: Event) -> Review | None:
    """Return the review that `event` tells of."""
    data = data_of(event)
    rows = Review.objects.select_related(
        "definition__instance", "translation", "revision", "reviewer"
    )
    if "request" in data:
        request = Retranslation.objects.filter(pk=data["request"]).first()
        return rows.filter(pk=request.review_id).first() if request else None
    return rows.filter(pk=data.get("review", 0)).first()


def _decided_obstacle(user: User, event: Event) -> str:
    review = _review(event)
    if review is None:
        return "the decision is no longer there"
    if takes_back(review):
        return ""
    return f"it counts no longer: {review.end.get_kind_display()}"


def _withdraw(user: User, event: Event) -> None:
    review = _review(event)
    if review is None or not withdraw_review(user, review, reason=_REASON):
        raise CannotUndo("the decision is no longer there")


def _restored_obstacle(user: User, event: Event) -> str:
    review = _review(event)
    return why_not(review, user) if review else "the decision is no longer there"


def _restore(user: User, event: Event) -> None:
    review = _review(event)
    if review is None:
        raise CannotUndo("the decision is no longer there")
    try:
        restore_review(user, review, reason=_REASON)
    except NoLongerHolds as obstacle:
        raise CannotUndo(str(obstacle)) from None


# ---------- texts ----------


def _definition(event: Event) -> Definition | None:
    rows = Definition.objects.select_related("instance")
    return rows.filter(pk=event.object_id).first()


def _texts(event: Event) -> tuple[Translation, Translation] | str:
    """Return the current text and the one before the act, or why there is no way back."""
    definition, data = _definition(event), data_of(event)
    placement = current_placement(definition) if definition else None
    if definition is None or placement is None:
        return "the definition was removed"
    now = placement.translation
    if now.number != data.get("version"):
        return f"it has moved on to version {now.number}"
    before = definition.translations.filter(number=data.get("base", 0)).first()
    if before is None:
        return "the text before is not known"
    return now, before


def _written_obstacle(user: User, event: Event) -> str:
    found = _texts(event)
    return found if isinstance(found, str) else ""


def _revert(user: User, event: Event) -> None:
    definition, found = _definition(event), _texts(event)
    if isinstance(found, str) or definition is None:
        raise CannotUndo(str(found))
    now, before = found
    try:
        revert_translation(user, definition, to=before, base=now)
    except (Overtaken, BadText) as obstacle:
        raise CannotUndo(str(obstacle)) from None


# ---------- who is to read ----------


def _assigned_does(event: Event) -> str:
    before = data_of(event).get("before")
    return f"given to {before} again" if before else "given to nobody again"


def _assigned_obstacle(user: User, event: Event) -> str:
    entry = (
        QueueEntry.objects.filter(definition=int(event.object_id))
        .select_related("assignee")
        .first()
    )
    if entry is None:
        return "it is in no queue any more"
    now = entry.assignee.username if entry.assignee else ""
    if now != data_of(event).get("to"):
        return f"it was given to {now or 'nobody'} since"
    return ""


def _unassign(user: User, event: Event) -> None:
    definition = _definition(event)
    before = data_of(event).get("before") or ""
    person = User.objects.filter(username=before).first() if before else None
    if definition is None or (before and person is None):
        raise CannotUndo("who had it is no longer here")
    try:
        assign_entry(user, definition, person)
    except CannotReview as obstacle:
        raise CannotUndo(str(obstacle)) from None


# ---------- conversations ----------


def _comment(event: Event) -> Comment | None:
    return Comment.objects.filter(pk=data_of(event).get("comment", 0)).first()


def _comment_obstacle(user: User, event: Event, *, hidden: bool) -> str:
    """Return why the comment cannot be hidden, or shown again."""
    comment = _comment(event)
    if comment is None:
        return _NO_COMMENT
    if comment.hidden and not hidden and not may_show(user, comment):
        return "only who hid it, or a maintainer, may show it again"
    if comment.hidden != hidden:
        return ""
    return "it is hidden already" if hidden else "it is shown already"


def _put_comment(user: User, event: Event, *, hidden: bool) -> None:
    comment = _comment(event)
    if comment is None:
        raise CannotUndo(_NO_COMMENT)
    hide_comment(user, comment, hidden=hidden, reason=_REASON)


def _said_before(event: Event) -> tuple[Comment, CommentText] | str:
    """Return the comment with what it said before the edit, or why that is not to be had."""
    comment = _comment(event)
    if comment is None:
        return _NO_COMMENT
    texts = list(comment.texts.order_by("pk"))
    after = [number for number, text in enumerate(texts) if text.created_at <= event.at]
    if not after or after[-1] == 0:
        return "what it said before is not known"
    if after[-1] != len(texts) - 1:
        return "it was changed again since"
    return comment, texts[after[-1] - 1]


def _edited_obstacle(user: User, event: Event) -> str:
    found = _said_before(event)
    if isinstance(found, str):
        return found
    if found[0].author_id != user.pk:
        return "only who wrote a comment changes it; it can be hidden on its page"
    return ""


def _say_again(user: User, event: Event) -> None:
    found = _said_before(event)
    if isinstance(found, str):
        raise CannotUndo(found)
    comment, text = found
    edit_comment(user, comment, text.text)


def _thread(event: Event) -> Thread | None:
    return Thread.objects.filter(pk=data_of(event).get("thread", 0)).first()


def _thread_obstacle(user: User, event: Event, *, resolved: bool) -> str:
    """Return why the conversation cannot be resolved, or opened again."""
    thread = _thread(event)
    if thread is None:
        return _NO_THREAD
    if (thread.resolved_at is not None) != resolved:
        return ""
    return "it is resolved already" if resolved else "it is open already"


def _put_thread(user: User, event: Event, *, resolved: bool) -> None:
    thread = _thread(event)
    if thread is None:
        raise CannotUndo(_NO_THREAD)
    resolve_thread(user, thread, resolved=resolved)


# ---------- imports ----------


def _imported_obstacle(user: User, event: Event) -> str:
    """Return why an import stays and what to do instead: others may have decided on what it brought."""
    revision = Revision.objects.filter(pk=event.object_id).select_related("instance")
    now = revision.first()
    if now is None:
        return "the revision is no longer there"
    slug = now.instance.slug
    if now.number == 1:
        return (
            "an import is not undone, and before this one there was nothing to go back to: import the right files, as "
            "the next revision"
        )
    back = now.number - 1
    return (
        "an import is not undone, since others may have decided on what it brought. To go back, export the files of "
        f"r{back} (bin/workbench export-instance {slug} --revision {back} --out DIR) and import them: that makes a new "
        "revision, and what this import took away can then be brought back from this page"
    )


def _stays(user: User, event: Event) -> None:
    raise CannotUndo(_imported_obstacle(user, event))
