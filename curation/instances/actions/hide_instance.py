"""Hide an instance from every list, or show it again. Nothing is deleted."""

from __future__ import annotations

from django.db import transaction

from curation.instances.models import Instance
from workbench.access.rights import Person, require
from workbench.access.roles import MAINTAIN
from workbench.events.log import record


@transaction.atomic
def hide_instance(
    user: Person, instance: Instance, *, hidden: bool, reason: str
) -> Instance:
    """Return `instance`, hidden or shown. A state that it has already changes nothing. Raises `AccessDenied`."""
    current = Instance.objects.select_for_update(no_key=True).get(pk=instance.pk)
    require(user, MAINTAIN, current)
    if current.hidden != hidden:
        current.hidden = hidden
        current.save(update_fields=["hidden"])
        verb = "instance.hidden" if hidden else "instance.shown"
        record(verb, user, current, reason=reason)
    return current
