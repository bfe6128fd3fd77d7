"""Settle a conversation, or open it again."""

from __future__ import annotations

from django.db import transaction
from django.utils import timezone

from curation.reviews.models import Thread
from workbench.access.models import User
from workbench.access.rights import require
from workbench.access.roles import REVIEW
from workbench.events.log import record


@transaction.atomic
def resolve_thread(user: User, thread: Thread, *, resolved: bool = True) -> Thread:
    """Return the thread, resolved or open again. Asking for what is already so changes nothing.

    Raises `AccessDenied`.
    """
    rows = Thread.objects.select_for_update(of=("self",)).select_related(
        "instance__team", "definition__instance"
    )
    locked = rows.get(pk=thread.pk)
    require(user, REVIEW, locked.instance)
    if (locked.resolved_at is not None) == resolved:
        return locked
    locked.resolved_at = timezone.now() if resolved else None
    locked.resolved_by = user if resolved else None
    locked.save(update_fields=["resolved_at", "resolved_by"])
    record(
        "thread.resolved" if resolved else "thread.reopened",
        user,
        locked.definition,
        thread=locked.pk,
        line=locked.line_start,
    )
    return locked
