"""Lists of definitions, and everything that the page of one definition shows beside its text."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from urllib.parse import urlencode

from django.db.models import Count, Q, QuerySet
from django.http import QueryDict

from curation.instances.models import Definition, Link, Placement, Revision, Use
from curation.instances.selectors.overview import mentioned_by_spec, standing_links
from workbench.ui.parts import Facet, facet

KIND_WORDS = dict(Definition.KINDS)


@dataclass(frozen=True)
class DefinitionFilter:
    """The filters of a list of definitions as the URL holds them. `spec`: mentioned by a spec, yes or no."""

    words: str = ""
    kinds: list[str] = field(default_factory=list)
    modules: list[str] = field(default_factory=list)
    linked: str = ""
    spec: str = ""

    @classmethod
    def from_query(cls, query: QueryDict) -> DefinitionFilter:
        yes_no = ("yes", "no")
        return cls(
            query.get("q", "").strip(),
            [kind for kind in query.getlist("kind") if kind in KIND_WORDS],
            query.getlist("module"),
            query.get("linked", "") if query.get("linked") in yes_no else "",
            query.get("spec", "") if query.get("spec") in yes_no else "",
        )

    def query(self) -> str:
        """Return the filters as a query string with its "?", "" where there are none."""
        pairs = [("q", self.words), ("linked", self.linked), ("spec", self.spec)]
        pairs += [("kind", kind) for kind in self.kinds]
        pairs += [("module", module) for module in self.modules]
        text = urlencode([pair for pair in pairs if pair[1]])
        return f"?{text}" if text else ""

    def conditions(self) -> dict[str, Q]:
        """Return one condition a facet."""
        found = {}
        if self.words:
            found["q"] = Q(definition__lean_name__icontains=self.words) | Q(
                translation__doc__icontains=self.words
            )
        if self.kinds:
            found["kind"] = Q(kind__in=self.kinds)
        elif (
            not self.words
        ):  # nobody answers for the harness; who looks for it finds it
            found["kind"] = ~Q(kind=Definition.HARNESS)
        if self.modules:
            found["module"] = Q(module__in=self.modules)
        if self.linked:
            found["linked"] = Q(linked=self.linked == "yes")
        if self.spec:
            found["spec"] = Q(specified=self.spec == "yes")
        return found


def placements(
    revision: Revision, wanted: DefinitionFilter, *, without: str = ""
) -> QuerySet[Placement]:
    """Return the placements of `revision` that `wanted` lets through; the condition of facet `without` is left out."""
    rows = revision.placements.all()
    conditions = {
        name: value for name, value in wanted.conditions().items() if name != without
    }
    if "linked" in conditions:
        rows = rows.annotate(linked=standing_links())
    if "spec" in conditions:
        rows = rows.annotate(specified=mentioned_by_spec(revision))
    for condition in conditions.values():
        rows = rows.filter(condition)
    return rows.select_related("definition", "translation").defer("translation__text")


def definition_facets(revision: Revision, wanted: DefinitionFilter) -> list[Facet]:
    """Return the facets of the list, each counted under the other filters. Three queries."""

    def counted(name: str) -> list[tuple[str, int]]:
        rows = placements(revision, wanted, without=name).order_by().values(name)
        return [
            (row[name], row["number"])
            for row in rows.annotate(number=Count("pk")).order_by(name)
            if row[name]
        ]

    linked = (
        placements(revision, wanted, without="linked")
        .annotate(linked=standing_links())
        .aggregate(
            yes=Count("pk", filter=Q(linked=True)),
            no=Count("pk", filter=Q(linked=False)),
        )
    )
    words = {"yes": "linked to the source", "no": "not linked"}
    return [
        facet(
            "kind",
            "Kind",
            counted("kind"),
            wanted.kinds,
            several=True,
            labels=KIND_WORDS,
        ),
        facet("module", "Module", counted("module"), wanted.modules, several=True),
        facet(
            "linked",
            "Source",
            linked.items(),
            [wanted.linked] if wanted.linked else [],
            labels=words,
        ),
    ]


def standing_links_of(
    definitions: Iterable[int], *, rejected: bool = False
) -> dict[int, list[Link]]:
    """Return the links that nobody rejected, by definition, surest first; with `rejected` also the others. One query."""
    found: dict[int, list[Link]] = defaultdict(list)
    rows = Link.objects.filter(definition__in=list(definitions)).select_related(
        "item", "by"
    )
    if not rejected:
        rows = rows.filter(rejected=False)
    for link in rows.order_by("confidence", "item__path", "item__line_start"):
        found[link.definition_id].append(link)
    return found


@dataclass(frozen=True)
class Neighbours:
    """What a definition uses, what uses it, and the specs that mention it: placements, in the order of the files."""

    uses: list[Placement]
    used_by: list[Placement]
    specs: list[Placement]


def neighbours(placement: Placement) -> Neighbours:
    """Return the neighbours of a definition in its revision. Two queries."""
    around = Placement.objects.filter(revision=placement.revision_id).select_related(
        "definition"
    )
    edges = Use.objects.filter(revision=placement.revision_id)
    uses = around.filter(
        definition__in=edges.filter(
            user=placement.definition_id, indirect=False
        ).values("used")
    )
    users = list(
        around.filter(
            definition__in=edges.filter(used=placement.definition_id).values("user")
        )
    )
    return Neighbours(
        list(uses),
        [row for row in users if row.kind != Definition.SPEC],
        [row for row in users if row.kind == Definition.SPEC],
    )


def beside(
    placement: Placement, wanted: DefinitionFilter
) -> tuple[Placement | None, Placement | None]:
    """Return the definitions before and after this one among those that `wanted` lets through. Two queries."""
    row = placements(placement.revision, wanted)
    before = row.filter(position__lt=placement.position).order_by("-position").first()
    after = row.filter(position__gt=placement.position).order_by("position").first()
    return before, after


def placement_of(definition: Definition) -> Placement:
    """Return where the newest revision that has `definition` holds it. One query."""
    rows = definition.placements.select_related(
        "revision__instance__team",
        "revision__snapshot",
        "revision__source__snapshot",
        "definition",
        "translation__author",
    )
    return rows.latest("revision__number")
