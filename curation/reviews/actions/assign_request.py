"""Give a re-translation request to somebody."""

from __future__ import annotations

from django.db import transaction

from curation.reviews.deciding import lock_instance, open_request
from curation.reviews.models import Notification, Retranslation
from curation.reviews.notify import tell
from workbench.access.models import User
from workbench.access.rights import allowed, require
from workbench.access.roles import CURATE
from workbench.events.log import record


class CannotWrite(ValueError):
    """The person may not write in this instance."""


@transaction.atomic
def assign_request(
    person: User, request: Retranslation, assignee: User | None
) -> Retranslation:
    """Return `request`, given to `assignee` (None: to nobody), who is told. Raises `RequestClosed`, `CannotWrite`,
    `AccessDenied`.
    """
    instance = lock_instance(request.definition)
    require(person, CURATE, instance)
    current = open_request(request)
    if assignee is not None and not allowed(assignee, CURATE, instance):
        raise CannotWrite(f"{assignee.display_name} may not write in this instance.")
    if current.assignee_id == (assignee.pk if assignee else None):
        return current
    current.assignee = assignee
    current.save(update_fields=["assignee"])
    if assignee is not None:
        words = f"Yours to translate anew: {current.review.words}"
        tell(
            [assignee],
            Notification.ASSIGNED,
            current.definition,
            words,
            by=person,
            anchor="request",
        )
    record(
        "request.assigned",
        person,
        current.definition,
        request=current.pk,
        to=assignee.username if assignee else "nobody",
    )
    return current
