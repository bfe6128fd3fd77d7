"""Mark as read what one was told, and choose what one is not told. A person's own business: only muting is recorded."""

from __future__ import annotations

from collections.abc import Iterable

from django.db import transaction
from django.utils import timezone

from curation.instances.models import Instance
from curation.reviews.models import Mute, Notification
from workbench.access.models import User
from workbench.access.rights import require
from workbench.access.roles import VIEW
from workbench.events.log import record


def mark_read(
    user: User, ids: Iterable[int] | None = None, *, up_to: int | None = None
) -> int:
    """Mark those notifications of `user` (None: all up to the id `up_to`) as read; return how many were not."""
    rows = Notification.objects.filter(person=user, read_at=None)
    if ids is not None:
        rows = rows.filter(pk__in=list(ids))
    if up_to is not None:
        rows = rows.filter(pk__lte=up_to)
    return rows.update(read_at=timezone.now())


@transaction.atomic
def mute(user: User, kind: str, instance: Instance | None) -> Mute:
    """Return the mute of `kind` ("" for all kinds) in `instance` (None for all). What is muted already stays one.

    Raises ValueError for an unknown kind, `AccessDenied`.
    """
    if kind and kind not in dict(Notification.KINDS):
        raise ValueError(
            f"kind is {kind!r}; expected one of {', '.join(dict(Notification.KINDS))}, or nothing"
        )
    if instance is not None:
        require(user, VIEW, instance)
    User.objects.select_for_update(no_key=True).get(pk=user.pk)
    known = Mute.objects.filter(person=user, kind=kind, instance=instance).first()
    if known is not None:
        return known
    made = Mute.objects.create(person=user, kind=kind, instance=instance)
    slug = instance.slug if instance else "all instances"
    record("notifications.muted", user, user, kind=kind or "everything", where=slug)
    return made


@transaction.atomic
def unmute(user: User, muted: Mute) -> None:
    """Tell `user` again what `muted` kept away. Somebody else's mute is not touched."""
    gone, _ = Mute.objects.filter(person=user, pk=muted.pk).delete()
    if gone:
        slug = muted.instance.slug if muted.instance else "all instances"
        record(
            "notifications.unmuted",
            user,
            user,
            kind=muted.kind or "everything",
            where=slug,
        )
