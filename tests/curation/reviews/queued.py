"""The tiny instance with its queue, and reviews written straight into the tables."""

from __future__ import annotations

import uuid
from typing import Any

from curation.instances.models import Definition, Placement
from curation.reviews.entries import place_entries, refresh_entries
from curation.reviews.models import QueueEntry, Review, ReviewEnd
from tests.curation.instances.made import InstanceCase
from workbench.access.models import User


def reviewed(
    definition: Definition,
    reviewer: User,
    decision: str = Review.APPROVE,
    **fields: Any,
) -> Review:
    """Return a review of the current text, written without its action; the entry is not refreshed."""
    placement = Placement.objects.select_related("revision", "translation").get(
        revision__is_current=True, definition=definition
    )
    return Review.objects.create(
        instance=definition.instance,
        definition=definition,
        translation=placement.translation,
        revision=placement.revision,
        reviewer=reviewer,
        decision=decision,
        read_hash=placement.meaning_hash,
        correlation=uuid.uuid4(),
        **fields,
    )


def ended(review: Review, kind: str = ReviewEnd.USED) -> None:
    """End `review`, as a change would."""
    review.standing = False
    review.save()
    ReviewEnd.objects.create(review=review, kind=kind)


class QueueCase(InstanceCase):
    """The tiny instance; each of its definitions has its entry."""

    @classmethod
    def setUpTestData(cls) -> None:
        super().setUpTestData()
        place_entries(cls.instance.revisions.get(is_current=True))

    def entry(self, name: str) -> QueueEntry:
        """Return the entry of the definition called `name`, as it is now."""
        return QueueEntry.objects.get(definition=self.definition(name))

    def review(
        self, name: str, reviewer: User, decision: str = Review.APPROVE
    ) -> Review:
        """Write a review and refresh the entry."""
        review = reviewed(self.definition(name), reviewer, decision)
        refresh_entries([review.definition_id])
        return review
