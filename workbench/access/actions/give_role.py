"""Give a person a role, in a team or on one object."""

from __future__ import annotations

from typing import Any

from django.db import models, transaction

from workbench.access.models import Grant, Membership, Team, User
from workbench.access.rights import require
from workbench.access.roles import ADMINISTER, ROLES
from workbench.events.log import record


class UnknownRole(Exception):
    """There is no role of that name."""


class AlreadyGiven(Exception):
    """The person holds this role here already."""


@transaction.atomic
def give_role(admin: User, person: User, team: Team, role: str) -> Membership:
    """Return the membership that gives `person` `role` in `team`.

    Raises `AccessDenied`, `UnknownRole`, `AlreadyGiven`.
    """
    require(admin, ADMINISTER, team)
    _known(role)
    membership, created = Membership.objects.get_or_create(
        user=person, team=team, role=role
    )
    if not created:
        raise AlreadyGiven(f"{person.username} is {role} in {team.name} already.")
    record("role.given", admin, team, person=person.username, role=role)
    return membership


@transaction.atomic
def give_role_on(admin: User, person: User, about: models.Model, role: str) -> Grant:
    """Return the grant that gives `person` `role` on `about` alone (a model with `access_kind` and `team_id`).

    Raises `AccessDenied`, `UnknownRole`, `AlreadyGiven`.
    """
    scope: Any = about
    require(admin, ADMINISTER, scope)
    _known(role)
    grant, created = Grant.objects.get_or_create(
        user=person, role=role, object_kind=scope.access_kind, object_id=scope.pk
    )
    if not created:
        raise AlreadyGiven(f"{person.username} is {role} here already.")
    record("role.given", admin, about, person=person.username, role=role)
    return grant


def _known(role: str) -> None:
    if role not in ROLES:
        raise UnknownRole(f"There is no role {role!r}; there are {', '.join(ROLES)}.")
