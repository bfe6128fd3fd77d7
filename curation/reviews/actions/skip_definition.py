"""Skip a definition: its reviewer cannot decide, says why, and leaves it to the second pool."""

from __future__ import annotations

from django.db import transaction

from curation.instances.models import Definition
from curation.reviews.actions.decide import decide, refresh, says_the_same
from curation.reviews.deciding import clean_words, open_page, standing_review
from curation.reviews.models import Review
from workbench.access.models import User
from workbench.events.log import record


@transaction.atomic
def skip_definition(
    reviewer: User, definition: Definition, *, number: int, words: str
) -> Review:
    """Return the review that skips `definition`; sent twice, the same one. `words` say why, and are needed.

    Raises `StaleTranslation`, `BadWords`, `NoReview`, `AccessDenied`.
    """
    said = clean_words(words, needed="Say why you skip it: the next reviewer reads it.")
    placement = open_page(reviewer, definition, number=number, read_hash=None)
    older = standing_review(reviewer, definition)
    if older is not None and says_the_same(older, placement, Review.SKIP, "", said):
        return older
    review = decide(reviewer, placement, Review.SKIP, older, words=said)
    refresh(placement)
    record(
        "definition.skipped",
        reviewer,
        definition,
        reason=said,
        version=number,
        review=review.pk,
    )
    return review
