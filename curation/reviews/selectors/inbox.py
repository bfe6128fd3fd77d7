"""What one person was told: as a list of groups, and as the number in the top bar."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Case, CharField, F, Max, Q, QuerySet, When
from django.db.models.functions import Cast

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

#: Kinds that belong to a conversation, whose anchor they carry; of the others, the act is the cause.
_TALK = (Notification.MENTION, Notification.REPLY)
_CAUSE = Case(
    When(kind__in=_TALK, then=F("anchor")),
    default=Cast("correlation", CharField()),
    output_field=CharField(),
)
#: Kinds whose words a person wrote, as Markdown.
_WRITTEN = (*_TALK, Notification.REQUEST, Notification.ANSWER, Notification.ASSIGNED)


@dataclass(frozen=True)
class Group:
    """Notifications of one kind with one cause, newest first: what one act did, or what was said in one conversation."""

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
    def about(self) -> list[Notification]:
        """The newest of each definition, in the order of their names."""
        first: dict[int | None, Notification] = {}
        for row in self.rows:
            first.setdefault(row.definition_id, row)
        return sorted(
            first.values(),
            key=lambda row: row.definition.lean_name if row.definition else "",
        )

    @property
    def tone(self) -> str:
        return TONES[self.newest.kind]

    @property
    def ids(self) -> str:
        return ",".join(str(row.pk) for row in self.rows)

    @property
    def others(self) -> int:
        """How many definitions it is about beside that of the newest."""
        return len(self.about) - 1

    @property
    def is_markdown(self) -> bool:
        return self.newest.kind in _WRITTEN


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


def heads(rows: QuerySet[Notification]) -> QuerySet[Notification]:
    """Return the newest of each group of `rows`: those of one kind, instance and cause are shown as one."""
    newest = _by_cause(rows).annotate(newest=Max("pk")).values("newest")
    return Notification.objects.filter(pk__in=newest)


def _by_cause(rows: QuerySet[Notification]) -> QuerySet[Notification, Any]:
    return rows.annotate(cause=_CAUSE).order_by().values("kind", "instance", "cause")


def groups_of(
    rows: QuerySet[Notification], newest: Sequence[Notification]
) -> list[Group]:
    """Return the groups that `newest` head, in that order, with what of `rows` belongs to them. One query."""
    wanted = {_key(row): list[Notification]() for row in newest}
    if not wanted:
        return []
    acts = {row.correlation for row in newest}
    threads = {row.anchor for row in newest if row.kind in _TALK}
    alike = rows.filter(Q(correlation__in=acts) | Q(kind__in=_TALK, anchor__in=threads))
    for row in alike.select_related("by", "instance", "definition").order_by("-pk"):
        if (several := wanted.get(_key(row))) is not None:
            several.append(row)
    return [Group(several) for several in wanted.values() if several]


def _key(row: Notification) -> tuple[str, int, str]:
    cause = row.anchor if row.kind in _TALK else str(row.correlation)
    return row.kind, row.instance_id, cause


def same_cause(
    rows: QuerySet[Notification], one: Notification
) -> QuerySet[Notification]:
    """Return those of `rows` that are in the group of `one`."""
    rows = rows.filter(kind=one.kind, instance=one.instance_id)
    if one.kind in _TALK:
        return rows.filter(anchor=one.anchor)
    return rows.filter(correlation=one.correlation)


def unread_number(user: User) -> int:
    """Return how many rows the inbox of `user` has, counted up to one above `COUNTED`. One query."""
    return _by_cause(notifications_of(user)).distinct()[: COUNTED + 1].count()


def kind_facet(user: User, show: str, chosen: list[str]) -> Facet:
    """Return the facet of kinds: how many rows of the list each has. One query."""
    rows = _by_cause(notifications_of(user, show=show)).distinct()
    counts = Counter(row["kind"] for row in rows)
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
