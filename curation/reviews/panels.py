"""What the review loop shows on other pages: the panel of the home page, the number in the top bar."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest

from curation.instances.models import Revision
from curation.reviews.selectors import progress
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


def progress_panel(revision: Revision) -> dict[str, Any] | None:
    """Return the panel of the instance page: how far the review is, per stage, module and person."""
    modules = progress.modules(revision)
    if not modules:
        return None
    count = progress.total(revision)
    return {
        "modules": modules,
        "total": count,
        "specs": sum(row.specs for row in modules),
        "stages": progress.stages(revision, count),
        "people": progress.people(revision),
        "waiting_query": f"instance={revision.instance.slug}",
        "list_url": progress.queue_url(revision.instance.slug),
    }
