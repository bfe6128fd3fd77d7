"""The one order of locks of everything that belongs to instances. Why and for whom: docs/developer/locks.md."""

from __future__ import annotations

from collections.abc import Iterable

from curation.instances.models import Instance


def hold_instances(ids: Iterable[int | None]) -> dict[int, Instance]:
    """Return these instances by key, locked until the transaction ends; None is overlooked. One query.

    Whoever changes what belongs to an instance (submissions, runs, findings, repairs, members of sets, cells) calls
    this first, once and for all instances, before anything is recorded.
    """
    wanted = {pk for pk in ids if pk is not None}
    rows = Instance.objects.select_for_update(no_key=True).filter(pk__in=wanted)
    return {instance.pk: instance for instance in rows.order_by("pk")}
