"""The list of releases: its filters as the address holds them, and the version that comes next."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from django.db.models import Count, Q, QuerySet
from django.http import QueryDict

from adjudication.releases.models import Release
from adjudication.releases.selectors.visible import visible_releases
from adjudication.standings.models import InstanceSet
from workbench.access.rights import Person
from workbench.ui.parts import Facet, facet

TONES = {
    Release.DRAFT: "off",
    Release.BUILT: "info",
    Release.PUBLISHED: "ok",
    Release.RETRACTED: "bad",
}
_LAST_NUMBER = re.compile(r"\d+(?=\D*$)")


@dataclass(frozen=True)
class ReleaseFilter:
    """The filters of the list. Unknown values find nothing, and can be taken off."""

    sets: list[str] = field(default_factory=list)
    states: list[str] = field(default_factory=list)
    instances: list[str] = field(default_factory=list)

    @classmethod
    def from_query(cls, query: QueryDict) -> ReleaseFilter:
        return cls(
            query.getlist("set"), query.getlist("state"), query.getlist("instance")
        )

    def conditions(self) -> dict[str, Q]:
        """Return one condition a facet; together they cut the list."""
        wanted = {
            "set": Q(set__slug__in=self.sets),
            "state": Q(state__in=self.states),
            "instance": Q(
                pk__in=Release.objects.filter(
                    members__revision__instance__slug__in=self.instances
                ).values("pk")
            ),
        }
        chosen = {"set": self.sets, "state": self.states, "instance": self.instances}
        return {name: wanted[name] for name, values in chosen.items() if values}


def listed_releases(user: Person, wanted: ReleaseFilter) -> QuerySet[Release]:
    """Return the releases that `user` may see and `wanted` lets through, with `instances`, how many each holds."""
    rows = visible_releases(user).filter(*wanted.conditions().values())
    return rows.select_related("set", "by", "published_by").annotate(
        instances=Count("members")
    )


def release_facets(user: Person, wanted: ReleaseFilter) -> list[Facet]:
    """Return the facets with the counts that each value would give. Two or three queries."""
    conditions = wanted.conditions()

    def counts(name: str, path: str) -> list[tuple[str, int]]:
        others = [cut for key, cut in conditions.items() if key != name]
        rows = visible_releases(user).filter(*others).order_by()
        found = rows.values_list(path).annotate(number=Count("pk", distinct=True))
        return [(value, number) for value, number in found.order_by(path)]

    states = dict(counts("state", "state"))
    listed = [
        facet("set", "Set", counts("set", "set__slug"), wanted.sets, several=True),
        facet(
            "state",
            "State",
            [(state, states.get(state, 0)) for state in TONES],
            wanted.states,
            several=True,
            tones=TONES,
        ),
    ]
    if wanted.instances:
        listed.append(
            facet(
                "instance",
                "Holds",
                [(name, None) for name in wanted.instances],
                wanted.instances,
                several=True,
            )
        )
    return listed


def next_version(found: InstanceSet) -> str:
    """Return the version after the newest of a set: its last number one higher; "1.0" for the first. One query."""
    last = found.releases.values_list("version", flat=True).first()
    if last is None:
        return "1.0"
    return _LAST_NUMBER.sub(lambda found: str(int(found[0]) + 1), last)[:40]
