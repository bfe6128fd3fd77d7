"""Create a team; who creates it is its first admin."""

from __future__ import annotations

from django.db import transaction

from workbench.access.models import Membership, Team, User
from workbench.access.rights import AccessDenied, teams_with
from workbench.access.roles import ADMINISTER
from workbench.events.log import record


def may_create_teams(user: User) -> bool:
    """Return whether `user` may create a team: an admin of some team, or the operator's account."""
    return user.is_superuser or teams_with(user, ADMINISTER).exists()


def require_team_creation(user: User) -> None:
    """Raise `AccessDenied` unless `user` may create teams."""
    if not may_create_teams(user):
        raise AccessDenied("Only admins create teams. Ask an admin of yours.")


@transaction.atomic
def create_team(creator: User, slug: str, name: str) -> Team:
    """Return the new team, with `creator` as its admin. Raises `AccessDenied`."""
    require_team_creation(creator)
    team = Team.objects.create(slug=slug, name=name)
    Membership.objects.create(user=creator, team=team, role="admin")
    record("team.created", creator, team)
    return team
