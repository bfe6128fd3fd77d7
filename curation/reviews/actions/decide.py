"""Write down a decision in place of the one that the same person made before. Part of an action, never called alone."""

from __future__ import annotations

from django.utils import timezone

from curation.instances.models import Placement
from curation.reviews.deciding import end_review
from curation.reviews.entries import refresh_entries
from curation.reviews.models import Retranslation, Review, ReviewEnd
from workbench.access.models import User
from workbench.events.correlation import current_correlation


def decide(
    reviewer: User,
    placement: Placement,
    decision: str,
    older: Review | None,
    *,
    reason: str = "",
    words: str = "",
) -> Review:
    """Return the standing review with this decision; `older`, the one that stood before, is superseded, with its request."""
    if older is not None:
        supersede(reviewer, older)
    return Review.objects.create(
        instance=placement.definition.instance,
        definition=placement.definition,
        translation=placement.translation,
        revision=placement.revision,
        reviewer=reviewer,
        decision=decision,
        reason=reason,
        words=words,
        read_hash=placement.meaning_hash,
        correlation=current_correlation(),
    )


def supersede(reviewer: User, older: Review) -> None:
    """End `older`: its reviewer decided anew. A request that it made is withdrawn."""
    end_review(older, ReviewEnd.SUPERSEDED, reviewer)
    withdraw_of(older)


def withdraw_of(review: Review) -> None:
    """Withdraw the request that `review` made, if it is still open."""
    Retranslation.objects.filter(review=review, state=Retranslation.OPEN).update(
        state=Retranslation.WITHDRAWN, closed_at=timezone.now()
    )


def says_the_same(
    older: Review | None,
    placement: Placement,
    decision: str,
    reason: str = "",
    words: str = "",
) -> bool:
    """Return whether `older` says just this about just this page: the form was sent twice."""
    if older is None or older.translation_id != placement.translation_id:
        return False
    said = (older.decision, older.reason, older.words, older.read_hash)
    return said == (decision, reason, words, placement.meaning_hash)


def refresh(placement: Placement) -> None:
    """Bring the queue in line with what was decided."""
    refresh_entries([placement.definition_id])
