"""How many approvals each kind of definition of an instance needs, and what that means for it now."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import Count, Q

from curation.instances.models import Definition, Instance
from curation.reviews.models import QueueEntry, ReviewPolicy
from curation.reviews.selectors.progress import EVERY_STATE, queue_url


@dataclass(frozen=True)
class Policy:
    """One kind: how many definitions it has, how many are approved, and how many have one approval or two."""

    kind: str
    words: str
    needed: int
    definitions: int
    approved: int
    once: int
    twice: int
    list_url: str
    approved_url: str


def policies(instance: Instance) -> list[Policy]:
    """Return the kinds that can be reviewed, in their usual order. Two queries."""
    needed = dict(
        ReviewPolicy.objects.filter(instance=instance).values_list("kind", "approvals")
    )
    rows = (
        QueueEntry.objects.filter(instance=instance)
        .values("kind")
        .annotate(
            definitions=Count("pk"),
            approved=Count("pk", filter=Q(state=QueueEntry.APPROVED)),
            once=Count("pk", filter=Q(approvals=1)),
            twice=Count("pk", filter=Q(approvals__gte=2)),
        )
    )
    found = {
        row["kind"]: (row["definitions"], row["approved"], row["once"], row["twice"])
        for row in rows.order_by()
    }
    return [
        Policy(
            kind,
            words,
            needed.get(kind, 1),
            *found.get(kind, (0, 0, 0, 0)),
            queue_url(instance.slug, kind=kind, state=EVERY_STATE),
            queue_url(instance.slug, kind=kind, state=QueueEntry.APPROVED),
        )
        for kind, words in Definition.KINDS
        if kind != Definition.HARNESS
    ]
