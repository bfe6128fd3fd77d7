"""Change one's own password."""

from __future__ import annotations

from django.db import transaction

from workbench.access.models import User
from workbench.events.log import record


@transaction.atomic
def change_password(user: User, password: str) -> None:
    """Set the password of `user`. Every session of theirs ends, unless the view renews the present one."""
    user.set_password(password)
    user.save(update_fields=["password"])
    record("password.changed", user, user)
