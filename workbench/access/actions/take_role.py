"""Take a role from a person, in a team or on one object."""

from __future__ import annotations

from typing import Any

from django.db import models, transaction

from workbench.access.models import Grant, Membership, Team, User
from workbench.access.rights import require
from workbench.access.roles import ADMINISTER, roles_with
from workbench.events.log import record


class LastAdmin(Exception):
    """The team would be left without anybody who can give roles."""


class NotHeld(Exception):
    """The person does not hold this role (any more)."""


@transaction.atomic
def take_role(admin: User, person: User, team: Team, role: str) -> None:
    """Take `role` in `team` from `person`. Raises `AccessDenied`, `NotHeld`, `LastAdmin`."""
    require(admin, ADMINISTER, team)
    # Two admins who take each other's role at once must not both find the other one still there.
    Team.objects.select_for_update(no_key=True).get(pk=team.pk)
    held = Membership.objects.filter(user=person, team=team, role=role)
    if not held.exists():
        raise NotHeld(f"{person.username} is not {role} in {team.name}.")
    if role in roles_with(ADMINISTER) and _is_last_admin(person, team, role):
        raise LastAdmin(
            f"{person.username} is the last admin of {team.name}. Make somebody else admin first."
        )
    held.delete()
    record("role.taken", admin, team, person=person.username, role=role)


@transaction.atomic
def take_role_on(admin: User, person: User, about: models.Model, role: str) -> None:
    """Take `role` on `about` from `person`. Raises `AccessDenied`, `NotHeld`."""
    scope: Any = about
    require(admin, ADMINISTER, scope)
    taken, _ = Grant.objects.filter(
        user=person, role=role, object_kind=scope.access_kind, object_id=scope.pk
    ).delete()
    if not taken:
        raise NotHeld(f"{person.username} is not {role} here.")
    record("role.taken", admin, about, person=person.username, role=role)


def _is_last_admin(person: User, team: Team, role: str) -> bool:
    return (
        not Membership.objects.filter(
            team=team, role__in=roles_with(ADMINISTER), user__is_active=True
        )
        .exclude(user=person, role=role)
        .exists()
    )
