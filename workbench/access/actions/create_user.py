"""Create a person's account in a team, with a password that is shown once."""

from __future__ import annotations

import secrets

from django.db import IntegrityError, transaction

from workbench.access.models import Membership, Team, User
from workbench.access.rights import require
from workbench.access.roles import ADMINISTER
from workbench.events.log import record

# No characters that are read as one another; 20 of these are 98 bits.
_ALPHABET = "abcdefghjkmnpqrstuvwxyz23456789"
_LENGTH = 20


class NameTaken(Exception):
    """There is an account of that name, or of one that differs in case only."""


@transaction.atomic
def create_user(
    admin: User,
    team: Team,
    username: str,
    role: str,
    *,
    full_name: str = "",
    email: str = "",
) -> tuple[User, str]:
    """Return the new account, which holds `role` in `team`, and its first password.

    The password is kept nowhere in plain text. Raises `AccessDenied`, `NameTaken`.
    """
    require(admin, ADMINISTER, team)
    if User.objects.filter(username__iexact=username).exists():
        raise NameTaken(
            f"There is an account {username!r} already. Give it a role instead."
        )
    password = "".join(secrets.choice(_ALPHABET) for _ in range(_LENGTH))
    first, _, last = full_name.strip().partition(" ")
    try:
        with transaction.atomic():
            user = User.objects.create_user(
                username, email, password, first_name=first, last_name=last
            )
    except IntegrityError:  # somebody else was quicker
        raise NameTaken(
            f"There is an account {username!r} already. Give it a role instead."
        ) from None
    Membership.objects.create(user=user, team=team, role=role)
    record("account.created", admin, team, person=username, role=role)
    return user, password
