"""Take back a decision of one's own."""

from __future__ import annotations

from django.db import transaction

from curation.reviews.actions.decide import withdraw_of
from curation.reviews.deciding import end_review, lock_instance
from curation.reviews.entries import refresh_entries
from curation.reviews.models import Review, ReviewEnd
from curation.reviews.sticking import may_come_back
from workbench.access.models import User
from workbench.access.rights import require
from workbench.access.roles import MAINTAIN, REVIEW
from workbench.events.log import record


@transaction.atomic
def withdraw_review(person: User, review: Review, *, reason: str = "") -> Review:
    """Return `review`, which no longer counts, or the one that continues it; twice does it once.

    One that a change had ended already does not come back by itself any more, and if it has, that one is taken back.

    A request that it made is withdrawn. Raises `AccessDenied`: others' decisions are taken back by a maintainer only.
    """
    instance = lock_instance(review.definition)
    mine = review.reviewer_id == person.pk
    require(person, REVIEW if mine else MAINTAIN, instance)
    current = _continued(review)
    if current.standing:
        end_review(current, ReviewEnd.UNDONE, person)
    elif may_come_back(current):
        ReviewEnd.objects.filter(review=current).update(final=True, by=person)
    else:
        return current
    withdraw_of(current)
    refresh_entries([current.definition_id])
    record(
        "review.withdrawn",
        person,
        current.definition,
        reason=reason,
        decision=current.decision,
        review=current.pk,
        reviewer=current.reviewer.username,
    )
    return current


def takes_back(review: Review) -> bool:
    """Return whether `withdraw_review` would change anything."""
    current = _continued(review)
    return current.standing or may_come_back(current)


def _continued(review: Review) -> Review:
    """Return the decision that lets `review` count again, if a change ended it and something brought it back; else itself."""
    rows = Review.objects.select_related("definition__instance", "end")
    current = rows.get(pk=review.pk)
    while not current.standing and current.end.kind in (ReviewEnd.OWN, ReviewEnd.USED):
        later = rows.filter(continues=current).order_by("-pk").first()
        if later is None:
            break
        current = later
    return current
