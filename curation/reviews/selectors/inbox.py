"""What one person was told: as a list of groups, and as the number in the top bar."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from django.db.models import Count, QuerySet

from curation.instances.models import Instance
from curation.reviews.models import Mute, Notification
from workbench.access.models import User
from workbench.ui.parts import Facet, facet

COUNTED = 99
UNREAD, ALL = "unread", "all"
TONES = {
    Notification.MENTION: "info",
    Notification.REPLY: "info",
    Notification.REQUEST: "bad",
    Notification.ANSWER: "ok",
    Notification.DROP: "warn",
    Notification.ASSIGNED: "run",
    Notification.AGAIN: "ok",
}


@dataclass(frozen=True)
class Group:
    """Notifications of one kind on one definition, newest first: they are shown as one."""

    rows: list[Notification]

    @property
    def newest(self) -> Notification:
        return self.rows[0]

    @property
    def unread(self) -> bool:
        return any(row.read_at is None for row in self.rows)

    @property
    def people(self) -> list[str]:
        """The names of who did it, newest first, each once."""
        return list(dict.fromkeys(row.by.username for row in self.rows if row.by))

    @property
    def tone(self) -> str:
        return TONES[self.newest.kind]

    @property
    def ids(self) -> str:
        return ",".join(str(row.pk) for row in self.rows)


def notifications_of(
    user: User, *, show: str = UNREAD, kinds: Iterable[str] = ()
) -> QuerySet[Notification]:
    """Return what `user` was told about instances that they may (still) see."""
    rows = Notification.objects.filter(
        person=user, instance__in=Instance.objects.visible_to(user)
    )
    if show == UNREAD:
        rows = rows.filter(read_at=None)
    wanted = [kind for kind in kinds if kind in dict(Notification.KINDS)]
    return rows.filter(kind__in=wanted) if wanted else rows


def grouped(rows: Iterable[Notification]) -> list[Group]:
    """Return `rows` (newest first) with those of one kind and definition together, at the place of their newest."""
    found: dict[tuple[str, int | None], list[Notification]] = {}
    for row in rows:
        found.setdefault((row.kind, row.definition_id), []).append(row)
    return [Group(several) for several in found.values()]


def unread_number(user: User) -> int:
    """Return how many `user` has not read, counted up to one above `COUNTED`. One query."""
    return notifications_of(user).order_by()[: COUNTED + 1].count()


def kind_facet(user: User, show: str, chosen: list[str]) -> Facet:
    """Return the facet of kinds. One query."""
    rows = notifications_of(user, show=show).order_by().values_list("kind")
    counts = dict(rows.annotate(number=Count("pk")))
    words = dict(Notification.KINDS)
    return facet(
        "kind",
        "Kind",
        [(kind, counts[kind]) for kind in words if kind in counts],
        chosen,
        several=True,
        labels=words,
        tones=TONES,
    )


def mutes_of(user: User) -> list[Mute]:
    """Return what `user` muted. One query."""
    rows = Mute.objects.filter(person=user).select_related("instance")
    return list(rows.order_by("pk"))
