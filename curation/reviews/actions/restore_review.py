"""Let a decision that was taken back, or that fell, count again: what was read stands there unchanged."""

from __future__ import annotations

from django.db import transaction

from curation.reviews.deciding import (
    current_placement,
    lock_instance,
    standing_review,
)
from curation.reviews.entries import refresh_entries
from curation.reviews.models import Retranslation, Review, ReviewEnd, TermBasis
from curation.reviews.sticking import bind, ground_at, stands_on
from workbench.access.models import User
from workbench.access.rights import allowed, require
from workbench.access.roles import REVIEW
from workbench.events.correlation import current_correlation
from workbench.events.log import record


class NoLongerHolds(Exception):
    """The decision cannot count again. The text says why."""


@transaction.atomic
def restore_review(person: User, review: Review, *, reason: str = "") -> Review:
    """Return a standing review that says what `review` said, by its reviewer, on the same content.

    Its request, if it made one, is open again. Raises `NoLongerHolds` (see `why_not`), `AccessDenied`.
    """
    instance = lock_instance(review.definition)
    require(person, REVIEW, instance)
    obstacle = why_not(review, person)
    if obstacle:
        raise NoLongerHolds(obstacle)
    again = say_again(review)
    placement = current_placement(review.definition)
    if again.decision == Review.APPROVE and placement is not None:
        bind([(again, ground_at(placement))])
    request = Retranslation.objects.filter(review=review).first()
    if request is not None:
        anew = Retranslation.objects.create(
            review=again, definition=review.definition, assignee=request.assignee
        )
        anew.threads.set(request.threads.all())
    refresh_entries([review.definition_id])
    record(
        "review.restored",
        person,
        review.definition,
        reason=reason,
        decision=review.decision,
        review=again.pk,
        of=review.pk,
        reviewer=review.reviewer.username,
    )
    return again


def say_again(review: Review) -> Review:
    """Return a new standing review with the content of `review`, bound to what that was bound to. Part of an action."""
    again = Review.objects.create(
        instance=review.instance,
        definition=review.definition,
        translation=review.translation,
        revision=review.revision,
        reviewer=review.reviewer,
        decision=review.decision,
        reason=review.reason,
        words=review.words,
        read_hash=review.read_hash,
        continues=review,
        correlation=current_correlation(),
    )
    TermBasis.objects.bulk_create(
        TermBasis(review=again, term=basis.term, meaning_hash=basis.meaning_hash)
        for basis in review.term_bases.select_related("term")
    )
    return again


def why_not(review: Review, person: User) -> str:
    """Return in words what keeps `person` from letting `review` count again, "" if nothing does. At most eight queries."""
    if review.standing:
        return "it counts already"
    definition, reviewer = review.definition, review.reviewer
    placement = current_placement(definition)
    if placement is None:
        return f"{definition} was removed"
    if not stands_on(review, placement):
        return "what was read has changed since"
    if standing_review(reviewer, definition) is not None:
        return f"{reviewer.username} has decided anew since"
    if not allowed(reviewer, REVIEW, definition.instance):
        return f"{reviewer.username} may not review here any more"
    if person.pk != reviewer.pk and _took_back(review):
        return f"{reviewer.username} took it back: only they let it count again"
    return ""


def _took_back(review: Review) -> bool:
    """Return whether its reviewer took `review`, or what they decided after it, back: nobody else speaks for them then."""
    ends = ReviewEnd.objects.filter(
        review__definition=review.definition_id,
        review__reviewer=review.reviewer_id,
        review__gte=review.pk,
    )
    rows = ends.values_list("kind", "final", "by")
    return any(
        (kind == ReviewEnd.UNDONE and by == review.reviewer_id)
        or (final and by in (None, review.reviewer_id))
        for kind, final, by in rows
    )
