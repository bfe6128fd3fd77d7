"""Whether an open page has anything to learn: one query, so that the many that ask for nothing cost next to nothing."""

from __future__ import annotations

import hashlib

from django.db.models import Count, Exists, IntegerField, OuterRef, Subquery
from django.utils import timezone

from curation.instances.models import Definition, Instance
from curation.reviews.models import Notification, QueueEntry
from workbench.access.models import User
from workbench.access.roles import REVIEW
from workbench.events.models import Event


def stamp_of(user: User, slug: str, definition_id: int, shown: str) -> str:
    """Return a mark that stays the same while the review page of that definition has nothing new for `user`.

    Covers what the live answer tells: the state and the lease, the text and the meaning, decisions, comments and
    threads (each records an event about its definition), what is unread, and whether the person may still decide.
    `shown` is what the page says it shows. "" where there is nothing to compare: the definition is in no queue, or
    `user` does not see it. One query.
    """
    told = (
        Event.objects.filter(
            object_kind=Definition._meta.model_name, object_id=str(definition_id)
        )
        .order_by("-number")
        .values("number")[:1]
    )
    unread = (
        Notification.objects.filter(person=user.pk, read_at=None)
        .order_by()
        .values("person")
        .annotate(number=Count("pk"))
        .values("number")
    )
    may = Instance.objects.visible_to(user, REVIEW).filter(pk=OuterRef("instance"))
    entries = QueueEntry.objects.filter(
        definition=definition_id,
        instance__slug=slug,
        instance__in=Instance.objects.visible_to(user),
    )
    row = entries.values_list(
        "leased_until", "holder", "lease_token", "state", "dropped", "approvals", "needed", "placement",
        "placement__meaning_hash", Exists(may), Subquery(told), Subquery(unread, output_field=IntegerField()),
    ).first()  # fmt: skip
    if row is None:
        return ""
    held = row[0] is not None and row[0] > timezone.now()
    text = "\n".join(map(str, (user.pk, shown, held, *row)))
    return hashlib.sha256(text.encode()).hexdigest()[:24]
