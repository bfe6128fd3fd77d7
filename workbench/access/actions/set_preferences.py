"""Change what a person prefers."""

from __future__ import annotations

from django.db import transaction

from workbench.access.models import User
from workbench.events.log import record

PREFERENCES = ("theme", "single_keys", "time_zone")


@transaction.atomic
def set_preferences(user: User, **wishes: str | bool) -> User:
    """Set the given ones of `PREFERENCES` and return the person; wishes that are already so are no event.

    Raises `ValueError` for anything else, and for a value that the model does not allow.
    """
    unknown = wishes.keys() - set(PREFERENCES)
    if unknown:
        raise ValueError(f"Not a preference: {', '.join(sorted(unknown))}.")
    current = User.objects.select_for_update().get(pk=user.pk)
    changed = {
        name: value for name, value in wishes.items() if getattr(current, name) != value
    }
    for name, value in wishes.items():
        setattr(user, name, value)
    if changed:
        User.objects.filter(pk=user.pk).update(**changed)
        record("preferences.changed", user, user, **changed)
    return user
