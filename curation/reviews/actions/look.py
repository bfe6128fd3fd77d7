"""Remember what a person has seen of a definition, and that they ticked it as read."""

from __future__ import annotations

from django.db import transaction

from curation.instances.models import Placement
from curation.reviews.models import Look
from workbench.access.models import User
from workbench.access.rights import require
from workbench.access.roles import VIEW


class Outdated(Exception):
    """The definition is no longer as it was on the page."""


def record_look(user: User, placement: Placement) -> Look:
    """Return what `user` saw last, now `placement`. `before` stays what they saw before that, until that changes.

    So the page can be left and opened again without losing what is new on it. At most two queries; no event.
    """
    look = Look.objects.filter(
        definition=placement.definition_id, person=user
    ).select_related("translation", "revision", "before", "before_revision").first()  # fmt: skip
    if look is None:
        look, _ = Look.objects.get_or_create(
            definition_id=placement.definition_id,
            person=user,
            defaults={
                "translation_id": placement.translation_id,
                "revision_id": placement.revision_id,
                "seen_hash": placement.meaning_hash,
            },
        )
        return look
    if _same(look, placement):
        return look
    look.before, look.before_revision = look.translation, look.revision
    look.translation, look.revision = placement.translation, placement.revision
    look.seen_hash = placement.meaning_hash
    look.save()
    return look


def _same(look: Look, placement: Placement) -> bool:
    """Return whether nothing has changed since: neither the text nor the meaning of what it uses."""
    return (
        look.translation_id == placement.translation_id
        and look.seen_hash == placement.meaning_hash
    )


@transaction.atomic
def tick_read(
    user: User, placement: Placement, read_hash: str, *, ticked: bool = True
) -> Look:
    """Return the look with its tick set or taken away. The tick falls by itself when the meaning changes.

    Raises `AccessDenied`, and `Outdated` when `read_hash`, the meaning hash of the page, is no longer that of
    `placement`.
    """
    require(user, VIEW, placement.revision.instance)
    if ticked and read_hash != placement.meaning_hash:
        raise Outdated
    look = record_look(user, placement)
    look.ticked_hash = placement.meaning_hash if ticked else ""
    look.save(update_fields=["ticked_hash", "seen_at"])
    return look
