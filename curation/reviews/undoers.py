"""How the verbs of the review loop are undone (see undo.py)."""

from __future__ import annotations

from curation.instances.models import Definition, Translation
from curation.instances.rewriting import BadText
from curation.reviews.actions.assign_entry import CannotReview, assign_entry
from curation.reviews.actions.restore_review import (
    NoLongerHolds,
    restore_review,
    why_not,
)
from curation.reviews.actions.withdraw_review import withdraw_review
from curation.reviews.actions.write_translation import Overtaken, revert_translation
from curation.reviews.deciding import current_placement
from curation.reviews.models import QueueEntry, Retranslation, Review
from curation.reviews.undo import CannotUndo, Undoer
from workbench.access.models import User
from workbench.events.models import Event
from workbench.events.telling import data_of

_REASON = "undone"


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
    if review.standing:
        return ""
    return f"it counts no longer: {review.end.get_kind_display()}"


def _withdraw(user: User, event: Event) -> None:
    review = _review(event)
    if review is None or not withdraw_review(user, review, reason=_REASON):
        raise CannotUndo("the decision is no longer there")


def _restored_obstacle(user: User, event: Event) -> str:
    review = _review(event)
    return why_not(review) if review else "the decision is no longer there"


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
