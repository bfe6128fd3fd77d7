"""Give a definition to somebody to read, or to nobody in particular."""

from __future__ import annotations

from django.db import transaction

from curation.instances.models import Definition
from curation.reviews.deciding import lock_instance, wrote
from curation.reviews.models import Notification, QueueEntry
from curation.reviews.notify import tell
from workbench.access.models import User
from workbench.access.rights import allowed, require
from workbench.access.roles import REVIEW
from workbench.events.log import record


class CannotReview(ValueError):
    """The person cannot be given this to read. The text says why."""


@transaction.atomic
def assign_entry(
    person: User, definition: Definition, assignee: User | None
) -> QueueEntry:
    """Return the entry of `definition`, given to `assignee` (None: to nobody in particular), who is told.

    The same again is no event. Raises `CannotReview`, `AccessDenied`.
    """
    instance = lock_instance(definition)
    require(person, REVIEW, instance)
    entry = (
        QueueEntry.objects.select_for_update(of=("self",))
        .select_related("assignee", "placement__translation")
        .filter(definition=definition)
        .first()
    )
    if entry is None:
        raise CannotReview(f"{definition} is in no queue")
    if assignee is not None:
        obstacle = why_not_theirs(entry, assignee)
        if obstacle:
            raise CannotReview(obstacle)
    if entry.assignee_id == (assignee.pk if assignee else None):
        return entry
    before = entry.assignee.username if entry.assignee else ""
    entry.assignee = assignee
    entry.save(update_fields=["assignee"])
    if assignee is not None:
        words = f"Yours to review: {definition}."
        tell([assignee], Notification.ASSIGNED, definition, words, by=person)
    record(
        "definition.assigned",
        person,
        definition,
        to=assignee.username if assignee else "",
        before=before,
    )
    return entry


def why_not_theirs(entry: QueueEntry, assignee: User) -> str:
    """Return in words why `assignee` cannot decide on `entry`, "" where they can. At most two queries."""
    if wrote(assignee, entry.placement.translation):
        return f"{assignee.display_name} wrote it"
    if not allowed(assignee, REVIEW, entry.instance):
        return f"{assignee.display_name} may not review in {entry.instance}"
    return ""
