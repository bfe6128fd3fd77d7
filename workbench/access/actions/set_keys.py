"""Move keys: a person's own key map."""

from __future__ import annotations

from collections.abc import Mapping

from django.db import transaction

from workbench.access.models import User
from workbench.events.log import record


@transaction.atomic
def set_keys(user: User, moved: Mapping[str, str]) -> User:
    """Keep the keys that `user` moved (name → strokes, as `workbench.ui.keymap.moved_keys` returns them).

    Returns the person; what is so already is no event.
    """
    current = User.objects.select_for_update(no_key=True).get(pk=user.pk)
    wanted = dict(moved)
    if current.keys != wanted:
        current.keys = wanted
        current.save(update_fields=["keys"])
        record("keys.moved", user, user, number=len(wanted))
    user.keys = wanted
    return user
