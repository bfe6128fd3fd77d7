"""Derive the review queue anew from the reviews."""

from __future__ import annotations

from typing import Any

from django.db import transaction

from curation.instances.models import Revision
from curation.reviews.entries import place_entries
from curation.reviews.models import QueueEntry
from workbench.commands import ProductCommand
from workbench.ui.templatetags.ui import plural


class Command(ProductCommand):
    help = "Derive the review queue anew from the reviews; leases and assignments stay."

    def run(self, options: dict[str, Any]) -> Any:
        put_right: dict[str, int] = {}
        current = Revision.objects.filter(is_current=True)
        for pk in list(current.order_by("instance__slug").values_list("pk", flat=True)):
            with transaction.atomic():  # an instance at a time: nobody waits for long
                revision = (
                    current.select_for_update(of=("self",))
                    .select_related("instance")
                    .filter(pk=pk)
                    .first()
                )
                if revision is None:  # a newer one came meanwhile, with its entries
                    continue
                put_right[revision.instance.slug] = place_entries(revision)
        entries = QueueEntry.objects.count()
        for slug, number in put_right.items():
            if number:
                self.say(f"{slug}: {plural(number, 'entry,entries')} put right")
        self.say(
            f"{plural(entries, 'entry,entries')} of {plural(len(put_right), 'instance')}"
        )
        return {
            "instances": len(put_right),
            "entries": entries,
            "put_right": sum(put_right.values()),
        }
