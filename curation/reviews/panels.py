"""What the review loop shows on other pages: the panel of the home page, the number in the top bar."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest

from curation.reviews.selectors.mine import COUNTED, my_queue, waiting_number
from curation.reviews.selectors.queue import may_review_somewhere
from workbench.access.models import User

SHOWN = 9


def queue_count(request: HttpRequest) -> int | str | None:
    """Return how much waits for this person, None for nothing."""
    if not isinstance(request.user, User):
        return None
    number = waiting_number(request.user)
    return f"{COUNTED}+" if number > COUNTED else number or None


def home_queue(request: HttpRequest) -> dict[str, Any] | None:
    """Return the panel of what waits for this person; nothing for who may not review."""
    user = request.user
    if not isinstance(user, User):
        return None
    rows = my_queue(user, SHOWN)
    if not rows and not may_review_somewhere(user):
        return None
    return {"mine": rows}
