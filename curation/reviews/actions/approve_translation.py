"""Approve a translation: the reviewer has read this text and what it uses."""

from __future__ import annotations

from django.db import transaction

from curation.instances.models import Definition
from curation.reviews.actions.decide import decide, refresh, says_the_same
from curation.reviews.deciding import OwnWork, open_page, standing_review, wrote
from curation.reviews.models import Review
from curation.reviews.sticking import bind, bound_words, ground_at
from workbench.access.models import User
from workbench.events.log import record


@transaction.atomic
def approve_translation(
    reviewer: User, definition: Definition, *, number: int, read_hash: str
) -> Review:
    """Return the review that approves version `number` of `definition` as read; sent twice, the same one.

    `read_hash` is the meaning hash shown on the page (see meaning.py); where the revision was built, the approval is
    bound to the compiled term as well. Raises `StaleTranslation` if the text or what
    it uses changed since, `OwnWork`, `NoReview`, `AccessDenied`.
    """
    placement = open_page(reviewer, definition, number=number, read_hash=read_hash)
    if wrote(reviewer, placement.translation):
        raise OwnWork("Somebody else has to approve what you wrote.")
    older = standing_review(reviewer, definition)
    if older is not None and says_the_same(older, placement, Review.APPROVE):
        return older
    review = decide(reviewer, placement, Review.APPROVE, older)
    bases = bind([(review, ground_at(placement))])
    refresh(placement)
    record(
        "translation.approved",
        reviewer,
        definition,
        version=number,
        read_hash=read_hash,
        review=review.pk,
        bound=bound_words(bases),
    )
    return review
