"""What is read about people and roles."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from django.db import models

from workbench.access.models import Grant, Membership, Team, User
from workbench.access.rights import teams_with
from workbench.access.roles import VIEW

NOBODY = "nobody"
"""What forms, filters and the record call no person."""


@dataclass
class Member:
    """A person in a team, or on an object, with the roles held there."""

    user: User
    roles: list[str] = field(default_factory=list)


@dataclass
class SeenTeam:
    """A team that somebody belongs to, with its people by role and that person's own roles."""

    team: Team
    people: int
    by_role: dict[str, int]
    own_roles: list[str]


def teams_seen(user: User) -> list[SeenTeam]:
    """Return the teams that `user` belongs to (all, for an operator). Two queries."""
    seen = {team.pk: SeenTeam(team, 0, {}, []) for team in teams_with(user, VIEW)}
    people: dict[int, set[int]] = {pk: set() for pk in seen}
    rows = Membership.objects.filter(team__in=list(seen)).values_list(
        "team_id", "user_id", "role"
    )
    for team_id, user_id, role in rows:
        entry = seen[team_id]
        people[team_id].add(user_id)
        entry.by_role[role] = entry.by_role.get(role, 0) + 1
        if user_id == user.pk:
            entry.own_roles.append(role)
    for team_id, found in people.items():
        seen[team_id].people = len(found)
    return list(seen.values())


def members_of(team: Team) -> list[Member]:
    """Return the people of `team` with their roles, by name. One query."""
    rows = (
        Membership.objects.filter(team=team)
        .select_related("user")
        .order_by("user__username", "role")
    )
    return _gathered((row.user, row.role) for row in rows)


def holders_of(kind: str, object_id: int) -> list[Member]:
    """Return the people who hold a role on one object alone, by name. One query."""
    rows = (
        Grant.objects.filter(object_kind=kind, object_id=object_id)
        .select_related("user")
        .order_by("user__username", "role")
    )
    return _gathered((row.user, row.role) for row in rows)


def colleagues(user: User, limit: int = 200) -> models.QuerySet[User]:
    """Return the people who share a team with `user`, by name, at most `limit`. One query."""
    teams = teams_with(user, VIEW)
    return (
        User.objects.filter(memberships__team__in=teams, is_active=True)
        .distinct()
        .order_by("username")[:limit]
    )


def _gathered(rows: Iterable[tuple[User, str]]) -> list[Member]:
    found: dict[int, Member] = {}
    for user, role in rows:
        found.setdefault(user.pk, Member(user)).roles.append(role)
    return list(found.values())
