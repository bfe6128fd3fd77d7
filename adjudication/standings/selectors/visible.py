"""Which boards, configurations and cells a person may see."""

from __future__ import annotations

from django.db.models import QuerySet

from adjudication.runs.models import Configuration
from adjudication.standings.models import InstanceSet
from workbench.access.rights import Person, sight


def visible_boards(user: Person) -> QuerySet[InstanceSet]:
    """Return the sets of the teams that `user` belongs to, and those they were given a role on; not the hidden ones."""
    seen = sight(user, team="team", kind="set", pk="pk")
    return InstanceSet.objects.filter(seen, hidden=False).select_related("team")


def visible_configurations(user: Person) -> QuerySet[Configuration]:
    """Return the configurations of the teams that `user` belongs to."""
    return Configuration.objects.filter(sight(user), hidden=False).select_related(
        "team"
    )
