"""bin/workbench new-password: for somebody who has lost theirs, or is locked out."""

from __future__ import annotations

import secrets
from typing import Any

from axes.utils import reset
from django.core.management.base import CommandParser
from django.db import transaction

from workbench.access.models import User
from workbench.commands import ProductCommand, WrongUse
from workbench.events.log import record

_ALPHABET = "abcdefghjkmnpqrstuvwxyz23456789"
_PASSWORD_LENGTH = 20


class Command(ProductCommand):
    help = "Give an account a new password, print it, and lift its log-in lock. Its open sessions end."

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name", help="log-in name of the account")

    def run(self, options: dict[str, Any]) -> Any:
        name = options["name"]
        password = "".join(secrets.choice(_ALPHABET) for _ in range(_PASSWORD_LENGTH))
        with transaction.atomic():
            user = User.objects.select_for_update().filter(username=name).first()
            if user is None:
                raise WrongUse(
                    f"there is no account {name!r}. Names are case-sensitive."
                )
            user.set_password(password)
            user.save(update_fields=["password"])
            record("password.reset", None, user)
            locks = reset(username=name)
        self.say(f"Log-in name: {name}\nPassword:    {password}")
        return {"name": name, "password": password, "locks_lifted": locks}
