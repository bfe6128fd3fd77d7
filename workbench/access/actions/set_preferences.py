"""Change what a person prefers."""

from __future__ import annotations

from typing import Any
from zoneinfo import available_timezones

from django.db import transaction

from workbench.access.models import User
from workbench.events.log import record


@transaction.atomic
def set_preferences(
    user: User,
    *,
    theme: str | None = None,
    single_keys: bool | None = None,
    time_zone: str | None = None,
) -> User:
    """Set the preferences that are given and return the person; what is so already is no event.

    An empty `time_zone` is that of the installation. Raises `ValueError` for a theme or zone that there is not.
    """
    if theme is not None and theme not in dict(User.THEMES):
        raise ValueError(f"theme: expected one of {', '.join(dict(User.THEMES))}.")
    if time_zone and time_zone not in available_timezones():
        raise ValueError("time_zone: expected a name such as Europe/Berlin.")
    current = User.objects.select_for_update(no_key=True).get(pk=user.pk)
    wishes = {"theme": theme, "single_keys": single_keys, "time_zone": time_zone}
    changed = {
        name: value
        for name, value in wishes.items()
        if value is not None and value != getattr(current, name)
    }
    for name, value in changed.items():
        setattr(user, name, value)
        setattr(current, name, value)
    if changed:
        current.save(update_fields=list(changed))
        data: dict[str, Any] = changed
        record("preferences.changed", user, user, **data)
    return user
