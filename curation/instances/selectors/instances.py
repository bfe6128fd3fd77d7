"""Lists of instances."""

from __future__ import annotations

import difflib
from collections.abc import Collection
from dataclasses import dataclass, field

from django.db.models import Count, Q, QuerySet
from django.http import QueryDict

from curation.instances.models import Instance, Revision
from curation.sources.registry import languages
from workbench.access.rights import Person
from workbench.ui.parts import Facet, facet

STATES = {
    "errors": "with errors",
    "warnings": "with warnings",
    "notes": "with notes only",
    "clean": "nothing found",
}
_STATE_FILTERS = {
    "errors": Q(error_count__gt=0),
    "warnings": Q(error_count=0, warning_count__gt=0),
    "notes": Q(error_count=0, warning_count=0, note_count__gt=0),
    "clean": Q(error_count=0, warning_count=0, note_count=0),
}


@dataclass(frozen=True)
class InstanceFilter:
    """The filters of the list as the URL holds them."""

    words: str = ""
    languages: list[str] = field(default_factory=list)
    tracks: list[str] = field(default_factory=list)
    states: list[str] = field(default_factory=list)
    teams: list[str] = field(default_factory=list)

    @classmethod
    def from_query(cls, query: QueryDict) -> InstanceFilter:
        return cls(
            query.get("q", "").strip(),
            query.getlist("language"),
            [track for track in query.getlist("track") if track in ("1", "2")],
            [state for state in query.getlist("state") if state in STATES],
            query.getlist("team"),
        )

    def conditions(self) -> dict[str, Q]:
        """Return one condition a facet; together they cut the list."""
        found = {}
        if self.words:
            found["q"] = (
                Q(instance__slug__icontains=self.words)
                | Q(instance__benchmark_id__icontains=self.words)
                | Q(instance__description__icontains=self.words)
            )
        if self.languages:
            found["language"] = Q(instance__language__in=self.languages)
        if self.tracks:
            found["track"] = Q(instance__track__in=self.tracks)
        if self.teams:
            found["team"] = Q(instance__team__slug__in=self.teams)
        state = Q()
        for name in self.states:
            state |= _STATE_FILTERS[name]
        if self.states:
            found["state"] = state
        return found


def current_revisions(
    user: Person, wanted: InstanceFilter, *, without: str = ""
) -> QuerySet[Revision]:
    """Return the current revisions of the instances that `user` sees and that `wanted` lets through.

    `without` leaves out the condition of one facet, to count its own choices.
    """
    rows = Revision.objects.filter(
        is_current=True, instance__in=Instance.objects.visible_to(user)
    )
    for name, condition in wanted.conditions().items():
        if name != without:
            rows = rows.filter(condition)
    return rows.select_related("instance__team", "source")


def instance_facets(user: Person, wanted: InstanceFilter) -> list[Facet]:
    """Return the facets of the list, each counted under the other filters. Four queries."""

    def counted(name: str, path: str) -> list[tuple[str, int]]:
        rows = current_revisions(user, wanted, without=name)
        return [
            (str(value), number)
            for value, number in rows.order_by(path)
            .values_list(path)
            .annotate(number=Count("pk"))
            if value not in ("", None)
        ]

    states = current_revisions(user, wanted, without="state").aggregate(
        **{
            name: Count("pk", filter=condition)
            for name, condition in _STATE_FILTERS.items()
        }
    )
    return [
        facet(
            "language",
            "Language",
            counted("language", "instance__language"),
            wanted.languages,
            several=True,
            labels={one.id: one.title for one in languages()},
        ),
        facet(
            "state",
            "Findings",
            states.items(),
            wanted.states,
            several=True,
            labels=STATES,
            tones={
                "errors": "bad",
                "warnings": "warn",
                "notes": "info",
                "clean": "off",
            },
        ),
        facet(
            "track",
            "Track",
            counted("track", "instance__track"),
            wanted.tracks,
            several=True,
            labels={"1": "1, formal", "2": "2, non-formal"},
        ),
        facet(
            "team",
            "Team",
            counted("team", "instance__team__slug"),
            wanted.teams,
            several=True,
        ),
    ]


class NoSuchInstance(Exception):
    """No instance, or more than one, goes by that name. The text says which there are."""


def named_instance(name: str) -> Instance:
    """Return the instance with the slug `name`, else the only one with that `benchmark_id`. Raises `NoSuchInstance`."""
    if "\0" in name:
        raise NoSuchInstance(
            f"there is no instance {name!r}"
        )  # no database could hold it
    found = Instance.objects.filter(slug=name).first()
    if found is not None:
        return found
    rows = list(Instance.objects.filter(benchmark_id=name)[:2])
    if len(rows) == 1:
        return rows[0]
    if rows:
        raise NoSuchInstance(
            f"several teams have an instance {name!r}; use one of the names {', '.join(row.slug for row in rows)}"
        )
    near = difflib.get_close_matches(
        name, Instance.objects.values_list("slug", flat=True), 3
    )
    hint = f"; did you mean {' or '.join(near)}?" if near else ""
    raise NoSuchInstance(f"there is no instance {name!r}{hint}")


def with_right(user: Person, right: str, keys: Collection[int]) -> frozenset[int]:
    """Return those of the instances `keys` on which `user` holds `right`. One query."""
    rows = Instance.objects.visible_to(user, right).filter(pk__in=keys)
    return frozenset(rows.values_list("pk", flat=True))
