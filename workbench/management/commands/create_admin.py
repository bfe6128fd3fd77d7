"""bin/workbench create-admin: the first account of an installation without the demo."""

from __future__ import annotations

import secrets
from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import CommandParser
from django.db import transaction

from workbench.access.models import Membership, Team, User
from workbench.commands import ProductCommand, WrongUse
from workbench.events.log import record

_ALPHABET = "abcdefghjkmnpqrstuvwxyz23456789"
_PASSWORD_LENGTH = 20


class Command(ProductCommand):
    help = "Create an account that holds the role admin in a team, and print its password. It makes everybody else."

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name", help="log-in name of the account")
        parser.add_argument(
            "--team",
            default="main",
            metavar="T",
            help="short name of the team (main); made where it is missing",
        )

    def run(self, options: dict[str, Any]) -> Any:
        name, slug = options["name"], options["team"]
        if User.objects.filter(username__iexact=name).exists():
            raise WrongUse(
                f"there is an account {name!r} already. For a new password: bin/workbench new-password {name}"
            )
        password = "".join(secrets.choice(_ALPHABET) for _ in range(_PASSWORD_LENGTH))
        with transaction.atomic():
            team = Team.objects.filter(slug=slug).first() or Team(
                slug=slug, name=slug.capitalize()
            )
            user = User(username=name, is_superuser=True)
            user.set_password(password)
            try:
                user.full_clean()
                team.full_clean()
            except ValidationError as error:
                raise WrongUse(
                    f"{name!r} in team {slug!r}: {' '.join(error.messages)}"
                ) from None
            user.save()
            team.save()
            Membership.objects.create(user=user, team=team, role="admin")
            record("account.created", None, team, person=name, role="admin")
        self.say(f"Log-in name: {name}\nPassword:    {password}")
        self.say(
            "It is kept nowhere: log in and change it under the preferences. People and teams: see “People”."
        )
        return {"name": name, "team": slug, "role": "admin", "password": password}
