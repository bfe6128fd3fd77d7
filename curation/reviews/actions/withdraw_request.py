"""Take a re-translation request back."""

from __future__ import annotations

from django.db import transaction

from curation.reviews.actions.withdraw_review import withdraw_review
from curation.reviews.deciding import lock_instance, open_request
from curation.reviews.models import Retranslation
from workbench.access.models import User


@transaction.atomic
def withdraw_request(
    person: User, request: Retranslation, *, reason: str = ""
) -> Retranslation:
    """Return `request`, withdrawn with the decision that made it. Raises `RequestClosed`, `AccessDenied`."""
    lock_instance(request.definition)
    current = open_request(request)
    withdraw_review(person, current.review, reason=reason)
    current.refresh_from_db()
    return current
