"""Reading the record: what a person may see of it, and the filters of the event log."""

from __future__ import annotations

import uuid
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from typing import Any

from django.db import models
from django.http import QueryDict
from django.utils import timezone

from workbench.access.models import User
from workbench.access.objects import names_of
from workbench.access.rights import sight
from workbench.events.models import Event
from workbench.numbers import whole_number
from workbench.ui.parts import Facet, facet

# Facets count the newest matching events only: an exact count would read the whole record.
COUNTED = 2000
VERIFIED = "record.verified"
BROKEN = "record.broken"


def visible_events(user: User) -> models.QuerySet[Event]:
    """Return the events that `user` may know of: of their teams, of what they hold a role on, of themselves."""
    if user.is_superuser:
        return Event.objects.all()
    own = models.Q(object_kind="user", object_id=str(user.pk)) | models.Q(
        actor=user, team=None
    )
    return Event.objects.filter(sight(user, kind="instance", pk="instance_id") | own)


@dataclass
class Filters:
    """The state of the event log, as the URL holds it. What could not be read is in `problems`, in words."""

    verbs: list[str] = field(default_factory=list)
    actors: list[str] = field(default_factory=list)
    kind: str = ""
    object_id: str = ""
    instance: int | None = None
    since: date | None = None
    until: date | None = None
    correlation: uuid.UUID | None = None
    implicit: str = ""
    problems: list[str] = field(default_factory=list)

    @classmethod
    def read(cls, query: QueryDict) -> Filters:
        """Return the filters that `query` names."""
        filters = cls(
            verbs=query.getlist("verb"),
            actors=query.getlist("actor"),
            kind=_one(query, "kind"),
            object_id=_one(query, "object"),
            implicit=_one(query, "implicit"),
        )
        filters.since = filters._date("since", _one(query, "since"))
        filters.until = filters._date("until", _one(query, "until"))
        instance, correlation = _one(query, "instance"), _one(query, "correlation")
        filters.instance = whole_number(instance)
        if instance and filters.instance is None:
            filters.problems.append("instance: expected a number.")
        if correlation:
            try:
                filters.correlation = uuid.UUID(correlation)
            except ValueError:
                filters.problems.append(
                    "correlation: expected an id such as 6f1c9a52-…."
                )
        return filters

    def _date(self, key: str, value: str) -> date | None:
        if not value:
            return None
        try:
            day = date.fromisoformat(value)
            # The day after, and the same day in another time zone, must be days too.
            if not 1 < day.year < 9999:
                raise ValueError("no year that can be looked in")
            return day
        except ValueError:
            self.problems.append(f"{key}: expected a date such as 2026-11-30.")
            return None

    def apply(
        self, events: models.QuerySet[Event], *, leave: str = ""
    ) -> models.QuerySet[Event]:
        """Return those of `events` that match; the filter named `leave` is left out."""
        if self.problems:
            return events.none()
        wanted = {
            "verb": models.Q(verb__in=self.verbs) if self.verbs else None,
            "actor": models.Q(actor_name__in=self.actors) if self.actors else None,
            "kind": models.Q(object_kind=self.kind) if self.kind else None,
            "object": models.Q(object_id=self.object_id) if self.object_id else None,
            "instance": models.Q(instance_id=self.instance)
            if self.instance is not None
            else None,
            "since": models.Q(at__gte=_midnight(self.since)) if self.since else None,
            "until": models.Q(at__lt=_midnight(self.until + timedelta(days=1)))
            if self.until
            else None,
            "correlation": models.Q(correlation=self.correlation)
            if self.correlation
            else None,
            "implicit": models.Q(implicit=self.implicit == "yes")
            if self.implicit in ("yes", "no")
            else None,
        }
        for name, condition in wanted.items():
            if condition is not None and name != leave:
                events = events.filter(condition)
        return events


def _one(query: QueryDict, key: str) -> str:
    return query.getlist(key)[-1] if query.getlist(key) else ""


def _midnight(day: date) -> datetime:
    return timezone.make_aware(datetime(day.year, day.month, day.day))  # noqa: DTZ001  # made aware here


def event_facets(user: User, filters: Filters) -> list[Facet]:
    """Return the filters beside the event log, counted over the newest `COUNTED` events. Three queries, at most four.

    Each facet is counted without itself, so that another value can be chosen beside the one that is.
    """
    events = visible_events(user)
    verbs = _counts(filters.apply(events, leave="verb"), "verb")
    actors = _counts(filters.apply(events, leave="actor"), "actor_name")
    rows = _newest(
        filters.apply(events, leave="instance"), "instance_id", "object_kind"
    )
    instances: Counter[int] = Counter(row[0] for row in rows if row[0] is not None)
    kinds: Counter[str] = Counter(row[1] for row in rows)
    names = names_of(
        user,
        "instance",
        [*instances, *([filters.instance] if filters.instance else [])],
    )
    by_instance = [
        (str(pk), number) for pk, number in instances.most_common() if pk in names
    ]
    chosen_instance = [str(filters.instance)] if filters.instance is not None else []
    return [
        facet(
            "verb",
            "What",
            verbs,
            filters.verbs,
            several=True,
            labels={verb: verb_words(verb) for verb, _ in verbs},
        ),
        facet("actor", "Who", actors, filters.actors, several=True),
        facet(
            "instance",
            "Instance",
            by_instance,
            chosen_instance,
            labels={str(pk): name for pk, name in names.items()},
        ),
        facet(
            "kind",
            "About",
            list(kinds.most_common()),
            [filters.kind] if filters.kind else [],
        ),
        facet(
            "implicit",
            "Drawn by the system",
            [("no", None), ("yes", None)],
            [filters.implicit] if filters.implicit else [],
            labels={"no": "no, a person did it", "yes": "yes, a consequence"},
        ),
    ]


def verb_words(verb: str) -> str:
    """Return "role given" for "role.given"."""
    return verb.replace(".", " ").replace("_", " ")


def _newest(events: models.QuerySet[Event], *fields: str) -> list[tuple[Any, ...]]:
    return list(events.order_by("-number").values_list(*fields)[:COUNTED])


def _counts(
    events: models.QuerySet[Event], field_name: str
) -> list[tuple[str, int | None]]:
    return list(
        Counter(str(row[0]) for row in _newest(events, field_name)).most_common()
    )


def acts_with_more(user: User, events: Iterable[Event]) -> dict[uuid.UUID, int]:
    """Return how much `user` may see of those acts (by correlation) behind `events` that hold more than one. One query."""
    correlations = {event.correlation for event in events}
    rows = (
        visible_events(user)
        .filter(correlation__in=correlations)
        .order_by()
        .values_list("correlation")
        .annotate(number=models.Count("pk"))
        .filter(number__gt=1)
    )
    return dict(rows)


def last_verification() -> Event | None:
    """Return the event of the last check of the chain, or None when it was never checked. One query."""
    return Event.objects.filter(verb__in=(VERIFIED, BROKEN)).order_by("-number").first()
