"""Tell people what concerns them. What somebody muted is not written for them."""

from __future__ import annotations

from collections.abc import Iterable

from django.db.models import Q

from curation.instances.models import Definition
from curation.reviews.models import Mute, Notification
from workbench.access.models import User
from workbench.events.correlation import current_correlation

_LONGEST = 500


def tell(
    people: Iterable[User | int],
    kind: str,
    definition: Definition,
    words: str,
    *,
    by: User | None = None,
    anchor: str = "",
) -> int:
    """Write a notification of `kind` for each of `people` once, `by` and who muted it left out; return how many.

    Inside the caller's transaction. `anchor` is the fragment of the definition's page that it leads to.
    Raises ValueError for an unknown kind.
    """
    if kind not in dict(Notification.KINDS):
        raise ValueError(
            f"kind is {kind!r}; expected one of {', '.join(dict(Notification.KINDS))}"
        )
    wanted = {each.pk if isinstance(each, User) else each for each in people}
    wanted -= {by.pk} if by else set()
    if not wanted:
        return 0
    wanted -= _muted(wanted, kind, definition.instance_id)
    rows = [
        Notification(
            person_id=person,
            kind=kind,
            instance_id=definition.instance_id,
            definition=definition,
            by=by,
            words=words[:_LONGEST],
            anchor=anchor,
            correlation=current_correlation(),
        )
        for person in sorted(wanted)
    ]
    Notification.objects.bulk_create(rows)
    return len(rows)


def _muted(people: set[int], kind: str, instance: int) -> set[int]:
    rows = Mute.objects.filter(person__in=people, kind__in=(kind, ""))
    rows = rows.filter(Q(instance=instance) | Q(instance=None))
    return set(rows.values_list("person_id", flat=True))
