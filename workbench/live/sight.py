"""What a person at a socket may be told of. A topic is `jobs`, `events`, or a kind of object with an id (`job:12`).

Kinds are those of workbench.access.objects that say who may see them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from workbench.access.models import Grant, User
from workbench.access.objects import kinds
from workbench.access.rights import teams_with
from workbench.access.roles import VIEW, roles_with
from workbench.numbers import whole_number

LISTS: Final = frozenset({"jobs", "events"})


@dataclass(frozen=True)
class Sight:
    """The teams and instances that one person sees, read once, for deciding about many pokes."""

    user_id: int
    everything: bool
    teams: frozenset[int]
    instances: frozenset[int]

    def covers(
        self, *, owner_id: int | None, team_id: int | None, instance_id: int | None
    ) -> bool:
        """Return whether the person may know of something of that owner, team and instance."""
        return (
            self.everything
            or owner_id == self.user_id
            or team_id in self.teams
            or instance_id in self.instances
        )


def sight_of(user: User) -> Sight:
    """Return what `user` sees now. At most two queries."""
    if user.is_superuser:
        return Sight(user.pk, True, frozenset(), frozenset())
    granted = Grant.objects.filter(
        user=user, role__in=roles_with(VIEW), object_kind="instance"
    )
    return Sight(
        user.pk,
        False,
        frozenset(teams_with(user, VIEW).values_list("pk", flat=True)),
        frozenset(granted.values_list("object_id", flat=True)),
    )


def may_follow(user: User, topic: str) -> bool:
    """Return whether `user` may follow `topic`. At most one query."""
    if topic in LISTS:
        return True
    name, _, pk = topic.partition(":")
    kind = kinds.get(name)
    number = whole_number(pk)
    if kind is None or kind.visible is None or number is None:
        return False
    return bool(kind.visible(user).filter(pk=number).exists())
