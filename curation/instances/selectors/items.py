"""Source items with filters."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

from django.db.models import Count, Exists, OuterRef, Q, QuerySet
from django.http import QueryDict

from curation.instances.models import Item, Link, Source
from workbench.ui.parts import Facet, facet


def items_of(source: Source | None) -> QuerySet[Item]:
    """Return the items of `source`, each with `told`: whether a definition translates it."""
    if source is None:
        return Item.objects.none()
    standing = Link.objects.filter(item=OuterRef("pk"), rejected=False)
    return Item.objects.filter(source=source).annotate(told=Exists(standing))


@dataclass(frozen=True)
class ItemFilter:
    """The filters of the list of items as the URL holds them."""

    words: str = ""
    categories: list[str] = field(default_factory=list)
    linked: str = ""
    scope: str = ""
    test: str = ""

    @classmethod
    def from_query(cls, query: QueryDict) -> ItemFilter:
        def yes_no(key: str) -> str:
            return query.get(key, "") if query.get(key) in ("yes", "no") else ""

        words = query.get("q", "").strip()
        return cls(
            words,
            query.getlist("category"),
            yes_no("linked"),
            yes_no("scope"),
            yes_no("test"),
        )

    def conditions(self) -> dict[str, Q]:
        """Return one condition a facet."""
        found = {}
        if self.words:
            found["q"] = Q(qualified_name__icontains=self.words) | Q(
                path__icontains=self.words
            )
        if self.categories:
            found["category"] = Q(category__in=self.categories)
        if self.linked:
            found["linked"] = Q(told=self.linked == "yes")
        if self.scope:
            found["scope"] = Q(in_scope=self.scope == "yes")
        if self.test:
            found["test"] = Q(is_test=self.test == "yes")
        return found

    def cut(self, items: QuerySet[Item], *, without: str = "") -> QuerySet[Item]:
        """Return the `items` that pass; the condition of facet `without` is left out."""
        for name, condition in self.conditions().items():
            if name != without:
                items = items.filter(condition)
        return items

    def facets(self, items: QuerySet[Item]) -> list[Facet]:
        """Return the facets over `items`, each counted under the other filters. Four queries."""

        def halves(name: str, lookup: str) -> Iterable[tuple[str, int]]:
            rows = self.cut(items, without=name)
            return (
                rows.aggregate(
                    yes=Count("pk", filter=Q(**{lookup: True})),
                    no=Count("pk", filter=Q(**{lookup: False})),
                )
            ).items()

        categories = (
            self.cut(items, without="category")
            .order_by("category")
            .values_list("category")
            .annotate(number=Count("pk"))
        )
        return [
            facet(
                "linked",
                "Definition",
                halves("linked", "told"),
                [self.linked] if self.linked else [],
                labels={"yes": "has a counterpart", "no": "has none"},
            ),
            facet("category", "Kind", list(categories), self.categories, several=True),
            facet(
                "scope",
                "Scope",
                halves("scope", "in_scope"),
                [self.scope] if self.scope else [],
                labels={"yes": "named by the manifest", "no": "elsewhere"},
            ),
            facet(
                "test",
                "Tests",
                halves("test", "is_test"),
                [self.test] if self.test else [],
                labels={"yes": "tests", "no": "not tests"},
            ),
        ]


def definitions_of(items: Iterable[Item]) -> dict[int, list[Link]]:
    """Return the links that nobody rejected, by item. One query."""
    told: dict[int, list[Link]] = defaultdict(list)
    rows = Link.objects.filter(item__in=list(items), rejected=False)
    for link in rows.select_related("definition").order_by("relation", "pk"):
        told[link.item_id].append(link)
    return told
