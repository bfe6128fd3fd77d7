"""The facets of the queue: one pass over the entries in sight counts them all."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from django.db.models import Case, Count, IntegerField, Value, When

from curation.instances.models import Instance
from curation.reviews.models import QueueEntry
from curation.reviews.risk import HIGH, MEDIUM
from curation.reviews.selectors.queue import (
    KINDS,
    LEASES,
    ME,
    NO_MODULE,
    POOLS,
    RISKS,
    STATE_TONES,
    STATES,
    QueueFilter,
    entries_seen,
)
from curation.sources.registry import languages
from workbench.access.models import User
from workbench.access.roles import VIEW
from workbench.access.selectors import NOBODY
from workbench.ui.parts import Facet, facet

# Numbers, not words: grouping 50,000 rows by words takes twice as long.
_BAND = Case(
    When(risk__gte=HIGH, then=Value(2)),
    When(risk__gte=MEDIUM, then=Value(1)),
    default=Value(0),
    output_field=IntegerField(),
)
_BANDS = ("low", "medium", "high")


@dataclass(frozen=True)
class Counted:
    """The facets of the list, and how many entries it has."""

    facets: list[Facet]
    total: int


@dataclass(frozen=True)
class Tally:
    """For each facet how many entries each value has under the other filters, and how many pass all filters."""

    by_facet: dict[str, Counter[str]]
    total: int


def counted(user: User, wanted: QueueFilter) -> Counted:
    """Return the facets, each counted under the other filters, and the size of the list. At most six queries.

    One pass over the entries in sight groups them by all facets at once. Where instances are chosen, the pass is over
    theirs alone, since no other facet counts the rest; that of the instances has a pass of its own, and so have modules
    where one is chosen.
    """
    tally = _tally(_groups(user, wanted), _tests(user, wanted))
    if wanted.instances:
        tally.by_facet["instance"] = _of_instances(user, wanted)
    return Counted(_facets(user, wanted, tally.by_facet), tally.total)


def _groups(user: User, wanted: QueueFilter) -> list[tuple[dict[str, str], int]]:
    """Return the entries in sight, grouped by the values of all facets, with their number. Three queries."""
    visible = Instance.objects.visible_to(user, VIEW)
    rows = QueueEntry.objects.filter(instance__in=visible)
    conditions = wanted.conditions(user)
    for name in ("q", "instance", "module", "lease", "by", "holder"):
        if name in conditions:
            rows = rows.filter(conditions[name])
    found = list(
        rows.order_by()
        .values_list("instance_id", "kind", "state", "dropped", "skipped", "assignee_id", _BAND)
        .annotate(number=Count("pk"))
    )  # fmt: skip
    names = {
        pk: (slug, language)
        for pk, slug, language in visible.values_list("pk", "slug", "language")
    }
    given = {row[5] for row in found if row[5] is not None}
    people = (
        dict(User.objects.filter(pk__in=given).values_list("pk", "username"))
        if given
        else {}
    )
    return [
        (
            {
                "instance": names[instance][0],
                "language": names[instance][1],
                "kind": kind,
                "state": state,
                "dropped": "yes" if dropped else "no",
                "pool": "skipped" if skipped else "first",
                "assignee": people.get(assignee, NOBODY),
                "risk": _BANDS[risk],
            },
            number,
        )
        for instance, kind, state, dropped, skipped, assignee, risk, number in found
        if instance in names  # one that came meanwhile
    ]


def _of_instances(user: User, wanted: QueueFilter) -> Counter[str]:
    rows = entries_seen(user, wanted, without="instance").order_by()
    numbers = dict(rows.values_list("instance_id").annotate(number=Count("pk")))
    slugs = Instance.objects.filter(pk__in=numbers).values_list("pk", "slug")
    return Counter({slug: numbers[pk] for pk, slug in slugs})


def _tests(user: User, wanted: QueueFilter) -> dict[str, tuple[str, ...]]:
    """Return the values that each facet lets through; those that let everything through are left out."""
    assignee = user.username if wanted.assignee == ME else wanted.assignee
    chosen = {
        "instance": wanted.instances,
        "language": wanted.languages,
        "kind": wanted.kinds,
        "state": wanted.states or (QueueEntry.OPEN,),
        "dropped": (wanted.dropped,),
        "pool": (wanted.pool,),
        "assignee": (assignee,),
        "risk": wanted.risks,
    }
    return {key: values for key, values in chosen.items() if any(values)}


def _tally(
    groups: list[tuple[dict[str, str], int]], tests: dict[str, tuple[str, ...]]
) -> Tally:
    by_facet: dict[str, Counter[str]] = defaultdict(Counter)
    total = 0
    for values, number in groups:
        failed = [key for key, allowed in tests.items() if values[key] not in allowed]
        if not failed:
            total += number
            for key, value in values.items():
                by_facet[key][value] += number
        elif len(failed) == 1:  # only its own facet lets it not through
            by_facet[failed[0]][values[failed[0]]] += number
    return Tally(by_facet, total)


def _facets(
    user: User, wanted: QueueFilter, tally: dict[str, Counter[str]]
) -> list[Facet]:
    def ordered(key: str, order: Iterable[str]) -> list[tuple[str, int]]:
        return [(value, tally[key][value]) for value in order if value in tally[key]]

    people = Counter(tally["assignee"])
    assignees = [(ME, people.pop(user.username, 0)), (NOBODY, people.pop(NOBODY, 0))]
    assignees += sorted(people.items())
    found = [
        facet(
            "state", "State", ordered("state", STATES), wanted.states, several=True,
            labels=STATES, tones=STATE_TONES,
        ),
        facet(
            "instance", "Instance", sorted(tally["instance"].items()), wanted.instances, several=True,
        ),
        facet(
            "risk", "Risk", ordered("risk", RISKS), wanted.risks, several=True,
            labels=RISKS,
        ),
        facet(
            "kind", "Kind", ordered("kind", KINDS), wanted.kinds, several=True,
            labels=KINDS,
        ),
        facet(
            "dropped", "Approval", ordered("dropped", ("yes", "no")), _chosen(wanted.dropped),
            labels={"yes": "dropped by a change", "no": "not dropped"},
        ),
        facet(
            "pool", "Pool", ordered("pool", POOLS), _chosen(wanted.pool), labels=POOLS,
        ),
        facet(
            "assignee", "Given to", assignees, _chosen(wanted.assignee),
            labels={ME: "me", NOBODY: "nobody in particular"},
        ),
        facet(
            "lease", "Lease", [(name, None) for name in LEASES], _chosen(wanted.lease), labels=LEASES,
        ),
        facet(
            "language", "Language", sorted((key, number) for key, number in tally["language"].items() if key),
            wanted.languages, several=True, labels={one.id: one.title for one in languages()},
        ),
    ]  # fmt: skip
    for key, label, value in (
        ("by", "Approved by", wanted.by),
        ("holder", "Read by", wanted.holder),
    ):
        if value:  # comes by a link; it is shown to be taken off
            found.insert(0, facet(key, label, [(value, None)], [value]))
    if len(wanted.instances) == 1 or wanted.modules:
        found.insert(4, _modules(user, wanted))
    return found


def _modules(user: User, wanted: QueueFilter) -> Facet:
    rows = entries_seen(user, wanted, without="module").order_by("module")
    numbers = rows.values_list("module").annotate(number=Count("pk"))
    return facet(
        "module",
        "Module",
        [(name or NO_MODULE, number) for name, number in numbers],
        wanted.modules,
        several=True,
        labels={NO_MODULE: "in no module"},
    )


def _chosen(value: str) -> list[str]:
    return [value] if value else []
