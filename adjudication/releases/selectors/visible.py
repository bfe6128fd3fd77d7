"""Which releases a person may see: those of the sets in their sight."""

from __future__ import annotations

from django.db.models import QuerySet

from adjudication.releases.models import Release
from workbench.access.rights import Person, sight


def visible_releases(user: Person) -> QuerySet[Release]:
    """Return the releases of the sets that `user` may see, those of hidden sets left out."""
    seen = sight(user, team="set__team", kind="set", pk="set")
    return Release.objects.filter(seen, set__hidden=False)
