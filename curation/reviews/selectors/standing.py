"""Which decisions count now."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from curation.reviews.models import Retranslation, Review


def standing(definition_ids: Iterable[int]) -> dict[int, list[Review]]:
    """Return the decisions that count, by definition, oldest first; nothing for a definition without. One query."""
    found: dict[int, list[Review]] = defaultdict(list)
    rows = Review.objects.filter(definition__in=list(definition_ids), standing=True)
    for review in rows.select_related("reviewer", "translation").order_by("pk"):
        found[review.definition_id].append(review)
    return dict(found)


def open_requests(definition_ids: Iterable[int]) -> dict[int, list[Retranslation]]:
    """Return the requests that wait for a version, by definition, oldest first. One query."""
    found: dict[int, list[Retranslation]] = defaultdict(list)
    rows = Retranslation.objects.filter(
        definition__in=list(definition_ids), state=Retranslation.OPEN
    ).select_related("review__reviewer", "review__translation", "assignee")
    for request in rows.order_by("pk"):
        found[request.definition_id].append(request)
    return dict(found)
