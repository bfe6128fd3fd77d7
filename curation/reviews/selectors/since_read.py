"""What changed of a definition since a page of it was read: for who decides on what is no longer there."""

from __future__ import annotations

from dataclasses import dataclass

from curation.instances.models import Definition, Revision, Translation
from curation.reviews.deciding import current_placement
from curation.reviews.selectors.since import ChangedUse, changed_uses


@dataclass(frozen=True)
class Since:
    """What changed of a definition since a revision: its text then and now, and what it uses, nearest first."""

    revision: Revision
    old: Translation
    new: Translation
    used: list[ChangedUse]

    @property
    def text_changed(self) -> bool:
        return self.old.pk != self.new.pk


def changes_since_read(
    definition: Definition, number: int, read_hash: str
) -> Since | None:
    """Return what changed since a page showed version `number` with meaning `read_hash`; None for a page never shown."""
    now = current_placement(definition)
    rows = definition.placements.filter(translation__number=number)
    if read_hash:
        rows = rows.filter(meaning_hash=read_hash)
    read = (
        rows.select_related("translation", "revision")
        .order_by("-revision__number")
        .first()
    )
    if now is None or read is None:
        return None
    used = changed_uses(now, read.revision)
    return Since(read.revision, read.translation, now.translation, used)
