"""Settle the decisions on an instance when it gets a new revision: what still holds stays, the rest ends and says why.

Part of an import or an edit (see contributions.after_revision), never called alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.utils import timezone

from curation.instances.meaning import TERM
from curation.instances.models import Placement, Revision
from curation.reviews.causes import Cause, Causes, causes_of
from curation.reviews.entries import place_entries
from curation.reviews.models import Notification, Retranslation, Review, ReviewEnd
from curation.reviews.notify import tell
from curation.reviews.sticking import ground_of, judge
from workbench.access.models import User
from workbench.events.log import record

_BATCH = 500


@dataclass(frozen=True)
class Ended:
    review: Review
    end: ReviewEnd


def settle_revision(user: User | None, revision: Revision) -> None:
    """End the standing decisions that `revision` takes the ground from, answer requests, and place the queue.

    An approval or a skip ends when the meaning changed that was read; a request when its own text has a new version,
    which answers it. One implicit event for each approval that dropped, and a word to who gave it.
    """
    reviews = list(
        Review.objects.filter(instance=revision.instance_id, standing=True)
        .select_related("definition__instance", "reviewer")
        .order_by("pk")
    )
    ground = ground_of(revision)
    now, verdicts = ground.placements, judge(reviews, ground)
    fallen = [review for review in reviews if not verdicts[review.pk].holds]
    ended = _end(user, revision, fallen, now) if fallen else []
    answered = _answer_requests(revision, now)
    place_entries(revision)
    for request in answered:
        _tell_answer(user, revision, request)
    dropped = [one for one in ended if one.review.decision == Review.APPROVE]
    tell_drops(user, dropped)
    # The record comes last: it locks its head for everybody.
    record_drops(user, revision, dropped)


def tell_drops(user: User | None, dropped: Sequence[Ended]) -> None:
    """Tell the reviewers of approvals that dropped, and why. Part of an action."""
    for one in dropped:
        words = f"Your approval dropped: {why(one.end)}."
        person, definition = one.review.reviewer, one.review.definition
        tell(
            [person], Notification.DROP, definition, words, by=user, anchor="decisions"
        )


def record_drops(
    user: User | None, revision: Revision, dropped: Sequence[Ended]
) -> None:
    """Record one implicit event for each approval that dropped. Part of an action, its last part."""
    for one in dropped:
        record(
            "review.dropped",
            user,
            one.review.definition,
            implicit=True,
            reason=why(one.end),
            review=one.review.pk,
            reviewer=one.review.reviewer.username,
            kind=one.end.kind,
            basis=one.end.basis,
            path=one.end.steps,
            revision=revision.number,
        )


def why(end: ReviewEnd) -> str:
    """Return in words what ended a review: "spec_push → push → cons: cons changed"."""
    if end.kind == ReviewEnd.REMOVED:
        return "the definition was removed"
    if end.basis == TERM:
        if end.kind == ReviewEnd.OWN or not end.steps:
            return "with the same text, it compiles to something else"
        names = [name.rsplit(".", 1)[-1] for name in end.steps]
        return f"{' → '.join(names)}: {names[-1]} compiles to something else"
    around = "the commands around it changed (open, variable, notation)"
    same = end.before_id is not None and end.before_id == end.after_id
    if end.kind == ReviewEnd.OWN:
        return around if same else "its own text changed"
    if end.kind != ReviewEnd.USED or not end.steps:
        return end.get_kind_display()
    names = [name.rsplit(".", 1)[-1] for name in end.steps]
    what = f"{names[-1]} changed"
    if end.before_id is None:
        what = f"{names[-1]} is new"
    elif end.after_id is None:
        what = f"{names[-1]} was removed"
    elif same:
        what = f"at {names[-1]}, {around}"
    return f"{' → '.join(names)}: {what}"


def _end(
    user: User | None,
    revision: Revision,
    fallen: list[Review],
    now: Mapping[int, Placement],
) -> list[Ended]:
    causes = causes_of(revision)
    keys = [review.pk for review in fallen]
    for start in range(0, len(keys), _BATCH):
        Review.objects.filter(pk__in=keys[start : start + _BATCH]).update(
            standing=False
        )
    ends = [
        ReviewEnd(
            review=review, revision=revision, by=user, **_what(review, now, causes)
        )
        for review in fallen
    ]
    ReviewEnd.objects.bulk_create(ends, batch_size=_BATCH)
    return [Ended(review, end) for review, end in zip(fallen, ends, strict=True)]


def _what(
    review: Review, now: Mapping[int, Placement], causes: Causes
) -> dict[str, object]:
    """Return the fields of the `ReviewEnd` that say what took the ground from `review`."""
    definition = review.definition_id
    if definition not in now:
        before = review.translation_id
        gone = Cause(definition, (definition,), before, None)
        return _fields(ReviewEnd.REMOVED, gone, causes)
    cause = causes.of(definition)
    if cause is None or cause.definition == definition:
        after = now[definition].translation_id
        own = Cause(definition, (definition,), review.translation_id, after)
        return _fields(ReviewEnd.OWN, own, causes)
    return _fields(ReviewEnd.USED, cause, causes)


def _fields(kind: str, cause: Cause, causes: Causes) -> dict[str, object]:
    return {
        "kind": kind,
        "cause_id": cause.definition,
        "before_id": cause.before,
        "after_id": cause.after,
        "path": "\n".join(causes.name(step) for step in cause.path)
        if len(cause.path) > 1
        else "",
    }


def _answer_requests(
    revision: Revision, now: Mapping[int, Placement]
) -> list[Retranslation]:
    """Close the open requests whose text has a new version (it answers them) or is gone; return the answered ones."""
    answered = []
    for request in Retranslation.objects.filter(
        state=Retranslation.OPEN, definition__instance=revision.instance_id
    ).select_related("review__reviewer", "definition__instance"):
        placement = now.get(request.definition_id)
        if placement is None:
            request.state = Retranslation.WITHDRAWN
        elif placement.translation_id != request.review.translation_id:
            request.state = Retranslation.ANSWERED
            request.answer_id = placement.translation_id
            request.answer_words = revision.note
            answered.append(request)
        else:
            continue
        request.closed_at = timezone.now()
        request.save(update_fields=["state", "answer", "answer_words", "closed_at"])
    return answered


def _tell_answer(user: User | None, revision: Revision, request: Retranslation) -> None:
    assert request.answer is not None
    who = user.username if user else "an import"
    words = f"Version {request.answer.number} by {who} answers your request"
    words += f": {request.answer_words}" if request.answer_words else "."
    tell(
        [request.review.reviewer],
        Notification.ANSWER,
        request.definition,
        words,
        by=user,
        anchor="request",
    )
