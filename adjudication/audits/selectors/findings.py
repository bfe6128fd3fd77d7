"""Findings that a person may see: the queue with its filters, and how they meet proofs of the same spec."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta

from django.db.models import Count, OuterRef, Q, QuerySet, Subquery
from django.http import QueryDict
from django.utils import timezone

from adjudication.audits.models import Closure, Finding, Repair, Ruling
from adjudication.audits.states import CLOSED
from curation.instances.models import Instance
from workbench.access.rights import Person
from workbench.ui.parts import Facet, facet

TONES = {
    Finding.NEW: "warn",
    Finding.TRIAGED: "info",
    Finding.CONFIRMED: "bad",
    Finding.REJECTED: "na",
    Finding.NEEDS_EVIDENCE: "warn",
    Finding.DUPLICATE: "na",
    Finding.REPAIR_DRAFTED: "run",
    Finding.REPAIRED: "info",
    Finding.VERIFIED: "ok",
    Finding.RELEASED: "ok",
}
SEVERITY_TONES = {"high": "bad", "medium": "warn", "low": "info"}
NOBODY = "-"
_AGES = {"day": (0, 1), "week": (1, 7), "month": (7, 31), "older": (31, None)}
_AGE_WORDS = {
    "day": "today",
    "week": "up to a week",
    "month": "up to a month",
    "older": "older",
}
_NAMES = (
    "state", "severity", "instance", "route", "language", "category",
    "assignee", "configuration", "age", "snoozed",
)  # fmt: skip
_OPEN = ~Q(state__in=CLOSED)


def visible_findings(user: Person) -> QuerySet[Finding]:
    """Return the findings of the instances that `user` may see."""
    return Finding.objects.filter(instance__in=Instance.objects.visible_to(user))


def waiting_findings(user: Person) -> QuerySet[Finding]:
    """Return what the queue shows without a filter: what is neither closed nor snoozed."""
    return visible_findings(user).filter(_OPEN, snoozed_hash="")


def mended_in() -> Subquery:
    """Return the number of the revision that is to repair a finding, for an annotation: that of its newest repair."""
    repairs = Repair.objects.filter(finding=OuterRef("pk")).order_by("-pk")
    return Subquery(repairs.values("revision__number")[:1])


@dataclass(frozen=True)
class FindingFilter:
    """The filters of the queue by facet. Unknown values find nothing, and can be taken off."""

    chosen: Mapping[str, list[str]]

    @classmethod
    def from_query(cls, query: QueryDict) -> FindingFilter:
        """Return the filter that an address holds. What no database can hold is overlooked."""
        return cls(
            {
                name: [value for value in query.getlist(name) if "\0" not in value]
                for name in _NAMES
            }
        )

    @classmethod
    def from_text(cls, text: str) -> FindingFilter:
        """Return the filter that a form field holds as an address would."""
        return cls.from_query(QueryDict(text.replace("\0", "")[:4000]))

    def query(self) -> str:
        """Return the filter as the end of an address, with its question mark; "" for none."""
        query = QueryDict(mutable=True)
        for name in _NAMES:
            if self.of(name):
                query.setlist(name, self.of(name))
        return f"?{query.urlencode()}" if query else ""

    def of(self, name: str) -> list[str]:
        """Return the values chosen in one facet."""
        return list(self.chosen.get(name, []))

    def __bool__(self) -> bool:
        return any(self.chosen.values())

    def conditions(self) -> dict[str, Q]:
        """Return one condition a facet. Closed and snoozed ones are hidden unless asked for."""
        found = {
            "state": Q(state__in=self.of("state")) if self.of("state") else _OPEN,
            "snoozed": ~Q(snoozed_hash="")
            if "yes" in self.of("snoozed")
            else Q(snoozed_hash=""),
        }
        paths = {
            "severity": "severity__in",
            "instance": "instance__slug__in",
            "route": "route__in",
            "language": "instance__language__in",
        }
        for name, path in paths.items():
            if self.of(name):
                found[name] = Q(**{path: self.of(name)})
        if self.of("category"):
            ruled = Ruling.objects.filter(
                is_current=True, category__in=self.of("category")
            )
            found["category"] = Q(pk__in=ruled.values("finding"))
        if self.of("configuration"):
            closures = Closure.objects.filter(
                configuration__slug__in=self.of("configuration")
            )
            found["configuration"] = Q(pk__in=closures.values("finding"))
        if self.of("assignee"):
            people = Q(assignee__username__in=self.of("assignee"))
            nobody = NOBODY in self.of("assignee")
            found["assignee"] = people | Q(assignee=None) if nobody else people
        if self.of("age"):
            total = Q(pk__in=[])
            for name in self.of("age"):
                total |= _age(name)
            found["age"] = total
        return found


def _age(name: str) -> Q:
    if name not in _AGES:
        return Q(pk__in=[])
    newest, oldest = _AGES[name]
    now = timezone.now()
    found = Q(opened_at__lte=now - timedelta(days=newest)) if newest else Q()
    if oldest is not None:
        found &= Q(opened_at__gt=now - timedelta(days=oldest))
    return found


def listed_findings(
    user: Person, wanted: FindingFilter, *, without: str = ""
) -> QuerySet[Finding]:
    """Return the findings that `user` sees and `wanted` lets through; `without` leaves one facet out, to count its choices."""
    rows = visible_findings(user)
    for name, condition in wanted.conditions().items():
        if name != without:
            rows = rows.filter(condition)
    return rows


def finding_facets(user: Person, wanted: FindingFilter) -> list[Facet]:
    """Return the facets, each counted under the other filters. One query a facet."""

    def counted(name: str, path: str, only: Q | None = None) -> list[tuple[str, int]]:
        rows = listed_findings(user, wanted, without=name)
        if only is not None:
            rows = rows.filter(only)
        pairs = (
            rows.order_by(path)
            .values_list(path)
            .annotate(number=Count("pk", distinct=True))
        )
        return [(value or NOBODY, number) for value, number in pairs]

    def made(name: str, label: str, counts: list[tuple[str, int]], **more: dict[str, str]) -> Facet:  # fmt: skip
        return facet(name, label, counts, wanted.of(name), several=True, **more)

    aged = listed_findings(user, wanted, without="age")
    ages = aged.aggregate(**{name: Count("pk", filter=_age(name)) for name in _AGES})
    snoozed = listed_findings(user, wanted, without="snoozed").exclude(snoozed_hash="")
    return [
        made("state", "State", counted("state", "state"), labels=dict(Finding.STATES), tones=TONES),
        made("severity", "Severity", counted("severity", "severity"), tones=SEVERITY_TONES),
        made("instance", "Instance", counted("instance", "instance__slug")),
        made("route", "Route", counted("route", "route"), labels=dict(Closure.ROUTES)),
        made("language", "Language", counted("language", "instance__language")),
        made("category", "Category", counted("category", "rulings__category", Q(rulings__is_current=True)), labels=dict(Ruling.CATEGORIES)),
        made("assignee", "Assignee", counted("assignee", "assignee__username"), labels={NOBODY: "nobody"}),
        made("configuration", "Found by", counted("configuration", "closures__configuration__slug", Q(closures__configuration__isnull=False))),
        made("age", "Age", [(name, ages[name]) for name in _AGES], labels=_AGE_WORDS),
        made("snoozed", "Snoozed", [("yes", snoozed.count())], labels={"yes": "snoozed ones"}),
    ]  # fmt: skip
