"""The queue as a list: its filters, its order, its facets, who holds what."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any
from urllib.parse import urlencode

from django.db.models import Count, Min, Q, QuerySet
from django.http import QueryDict
from django.utils import timezone

from curation.instances.models import Definition, Instance
from curation.reviews.models import QueueEntry, Review, SavedFilter
from curation.reviews.risk import BANDS, HIGH, MEDIUM
from workbench.access.models import User
from workbench.access.rights import Person
from workbench.access.roles import REVIEW, VIEW
from workbench.access.selectors import NOBODY

ORDER = ("skipped", "depth", "-risk", "pk")
POOLS = {"first": "first", "skipped": "second: somebody skipped it"}
LEASES = {"mine": "mine", "held": "somebody has it", "free": "free"}
ME = "me"
NO_MODULE = "-"
STATES, KINDS, RISKS = (
    dict(QueueEntry.STATES),
    dict(Definition.KINDS),
    dict(BANDS),
)
_RISK_FILTERS = {
    "high": Q(risk__gte=HIGH),
    "medium": Q(risk__gte=MEDIUM, risk__lt=HIGH),
    "low": Q(risk__lt=MEDIUM),
}
STATE_TONES = {
    QueueEntry.OPEN: "off",
    QueueEntry.SENT_BACK: "bad",
    QueueEntry.APPROVED: "ok",
    QueueEntry.EXEMPT: "na",
}


@dataclass(frozen=True)
class QueueFilter:
    """The filters of the queue as the URL holds them. Without a state: what waits for a reviewer.

    `assignee` is "me", "nobody" or a user name; `dropped` yes or no; `pool` first or skipped; `lease` one of LEASES.
    `by` is the name of somebody whose approval stands, `holder` of somebody who has the lease; a module "-" is none.
    """

    words: str = ""
    instances: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    modules: tuple[str, ...] = ()
    states: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    risks: tuple[str, ...] = ()
    dropped: str = ""
    assignee: str = ""
    pool: str = ""
    lease: str = ""
    by: str = ""
    holder: str = ""

    @classmethod
    def from_query(cls, query: QueryDict) -> QueueFilter:
        def several(key: str, known: dict[str, str] | None = None) -> tuple[str, ...]:
            given = (value.replace("\0", "") for value in query.getlist(key) if value)
            return tuple(
                dict.fromkeys(one for one in given if known is None or one in known)
            )

        def one(key: str, known: tuple[str, ...] | dict[str, str]) -> str:
            value: str = query.get(key, "")
            return value if value in known else ""

        return cls(
            query.get("q", "").replace("\0", "").strip(),
            several("instance"),
            several("kind", KINDS),
            several("module"),
            several("state", STATES),
            several("language"),
            several("risk", RISKS),
            one("dropped", ("yes", "no")),
            query.get("assignee", "").replace("\0", ""),
            one("pool", POOLS),
            one("lease", LEASES),
            query.get("by", "").replace("\0", ""),
            query.get("holder", "").replace("\0", ""),
        )

    @classmethod
    def from_text(cls, text: str) -> QueueFilter:
        """Return the filter that a query string (with or without its "?") holds."""
        return cls.from_query(QueryDict(text.removeprefix("?")))

    def query(self) -> str:
        """Return the filters as a query string with its "?", "" where there are none."""
        pairs = [("q", self.words)]
        for key, values in (
            ("instance", self.instances),
            ("kind", self.kinds),
            ("module", self.modules),
            ("state", self.states),
            ("language", self.languages),
            ("risk", self.risks),
        ):
            pairs += [(key, value) for value in values]
        pairs += [("dropped", self.dropped), ("assignee", self.assignee)]
        pairs += [("pool", self.pool), ("lease", self.lease)]
        pairs += [("by", self.by), ("holder", self.holder)]
        text = urlencode([pair for pair in pairs if pair[1]])
        return f"?{text}" if text else ""

    def waiting(self) -> QueueFilter:
        """Return the same filter for what can be taken: state, pool and lease are the taker's business."""
        return replace(self, states=(), pool="", lease="", by="", holder="")

    def conditions(self, user: Person) -> dict[str, Q]:
        """Return one condition a facet; together they cut the list."""
        found: dict[str, Q] = {"state": Q(state__in=self.states or (QueueEntry.OPEN,))}
        if self.words:
            found["q"] = Q(definition__lean_name__icontains=self.words)
        for name, path, values in (
            ("instance", "instance__slug", self.instances),
            ("kind", "kind", self.kinds),
            (
                "module",
                "module",
                ["" if one == NO_MODULE else one for one in self.modules],
            ),
            ("language", "instance__language", self.languages),
        ):
            if values:
                found[name] = Q(**{f"{path}__in": values})
        if self.risks:
            found["risk"] = _any(_RISK_FILTERS[name] for name in self.risks)
        if self.dropped:
            found["dropped"] = Q(dropped=self.dropped == "yes")
        if self.assignee == ME:
            found["assignee"] = Q(assignee=user.pk)
        elif self.assignee:
            found["assignee"] = (
                Q(assignee=None)
                if self.assignee == NOBODY
                else Q(assignee__username=self.assignee)
            )
        if self.pool:
            found["pool"] = Q(skipped=self.pool == "skipped")
        if self.lease:
            found["lease"] = _lease(self.lease, user)
        if self.by:
            found["by"] = Q(definition__in=_approved_by(self.by))
        if self.holder:
            found["holder"] = held() & Q(holder__username=self.holder)
        return found


def _approved_by(name: str) -> QuerySet[Review, int]:
    return Review.objects.filter(
        reviewer__username=name, standing=True, decision=Review.APPROVE
    ).values_list("definition_id", flat=True)


def _any(conditions: Any) -> Q:
    found = Q()
    for condition in conditions:
        found |= condition
    return found


def held(now: datetime | None = None) -> Q:
    """Return the condition that somebody has a lease that runs."""
    return Q(holder__isnull=False, leased_until__gt=now or timezone.now())


def _lease(lease: str, user: Person) -> Q:
    if lease == "mine":
        return held() & Q(holder=user.pk)
    return held() if lease == "held" else ~held()


def entries_seen(
    user: Person, wanted: QueueFilter, *, right: str = VIEW, without: str = ""
) -> QuerySet[QueueEntry]:
    """Return the entries of instances on which `user` holds `right`, cut by `wanted` but for the facet `without`."""
    rows = QueueEntry.objects.filter(
        instance__in=Instance.objects.visible_to(user, right)
    )
    for name, condition in wanted.conditions(user).items():
        if name != without:
            rows = rows.filter(condition)
    return rows


def queue_rows(user: Person, wanted: QueueFilter) -> QuerySet[QueueEntry]:
    """Return what the list shows of each entry, without an order (page_by_key gives it: ORDER)."""
    return entries_seen(user, wanted).select_related(
        "definition", "instance", "assignee", "holder"
    )


@dataclass(frozen=True)
class Leased:
    """How many of the entries that wait are held by others, and when the first of those leases runs out."""

    number: int
    first_free: datetime | None


def leased_to_others(user: User, wanted: QueueFilter) -> Leased:
    """Return what of `wanted` others hold at present. One query."""
    row = (
        entries_seen(user, wanted.waiting(), right=REVIEW)
        .filter(held())
        .exclude(holder=user)
        .aggregate(number=Count("pk"), first=Min("leased_until"))
    )
    return Leased(row["number"], row["first"])


def may_review_somewhere(user: User) -> bool:
    """Return whether there is an instance in which `user` may decide. One query."""
    return Instance.objects.visible_to(user, REVIEW).exists()


def saved_filters(user: User) -> list[SavedFilter]:
    """Return the filters that `user` keeps for the queue. One query."""
    return list(SavedFilter.objects.filter(person=user, page="queue"))
