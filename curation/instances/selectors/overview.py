"""What the instance page says at a glance. Everything is counted from the current revision's rows."""

from __future__ import annotations

from dataclasses import dataclass, replace

from django.db.models import (
    BooleanField,
    Count,
    Exists,
    ExpressionWrapper,
    Min,
    OuterRef,
    Q,
)
from django.urls import reverse

from curation.format.findings import KINDS
from curation.instances import contributions
from curation.instances.contributions import Blocker, Tab
from curation.instances.models import Definition, Item, Link, Placement, Revision, Use
from curation.instances.selectors.terms import Compilation, compilation
from workbench.ui.parts import Step
from workbench.ui.templatetags.ui import plural

_NAMED = 3
STAGES = (
    "init",
    "index",
    "discover",
    "select",
    "plan",
    "translate",
    "spec-write",
    "validate",
    "release",
)


def sure_links() -> Exists:
    """Return the condition that such a link is more than a guess."""
    standing = Link.objects.filter(definition=OuterRef("definition"), rejected=False)
    return Exists(standing.exclude(confidence="guess"))


def standing_links() -> Exists:
    """Return the condition that a placement's definition has a link that nobody rejected."""
    return Exists(
        Link.objects.filter(definition=OuterRef("definition"), rejected=False)
    )


def mentioned_by_spec(revision: Revision) -> ExpressionWrapper:
    """Return the condition that a spec of `revision` mentions a placement's definition.

    The set is worked out once, not once a row: correlated, this took seconds on 3,000 definitions.
    """
    specs = Placement.objects.filter(revision=revision, kind=Definition.SPEC)
    mentioned = Use.objects.filter(
        revision=revision, user__in=specs.values("definition")
    )
    return ExpressionWrapper(
        Q(definition__in=mentioned.values("used")), output_field=BooleanField()
    )


@dataclass(frozen=True)
class ModuleRow:
    """One module with the number of its definitions by kind, and how many are linked to the source."""

    name: str
    total: int
    apis: int
    specs: int
    types: int
    helpers: int
    linked: int
    linkable: int


def module_rows(revision: Revision) -> list[ModuleRow]:
    """Return the modules in the order of the files. One query."""
    kind = Definition
    rows = (
        revision.placements.exclude(kind=kind.HARNESS)
        .annotate(linked=standing_links())
        .values("module")
        .annotate(
            total=Count("pk"),
            apis=Count("pk", filter=Q(kind=kind.API)),
            specs=Count("pk", filter=Q(kind=kind.SPEC)),
            types=Count("pk", filter=Q(kind__in=(kind.TYPE, kind.SIGNATURE))),
            helpers=Count("pk", filter=Q(kind__in=(kind.HELPER, kind.SPEC_HELPER))),
            linked_count=Count("pk", filter=Q(linked=True)),
            linkable=Count("pk", filter=~Q(kind=kind.SIGNATURE)),
            first=Min("position"),
        )
        .order_by("first")
    )
    return [
        ModuleRow(
            row["module"],
            row["total"],
            row["apis"],
            row["specs"],
            row["types"],
            row["helpers"],
            row["linked_count"],
            row["linkable"],
        )
        for row in rows
    ]


@dataclass(frozen=True)
class Share:
    """So many of so many, in words, with the list that shows which."""

    words: str
    part: int
    whole: int
    url: str
    guessed: int = 0

    @property
    def complete(self) -> bool:
        return self.part == self.whole


def coverage(revision: Revision) -> list[Share]:
    """Return the shares that tell how much is connected. Two queries."""
    base = reverse("instances:definitions", args=[revision.instance.slug])
    placed = (
        Placement.objects.filter(revision=revision)
        .annotate(
            linked=standing_links(),
            sure=sure_links(),
            specified=mentioned_by_spec(revision),
        )
        .aggregate(
            apis=Count("pk", filter=Q(kind=Definition.API)),
            apis_specified=Count("pk", filter=Q(kind=Definition.API, specified=True)),
            apis_linked=Count("pk", filter=Q(kind=Definition.API, linked=True)),
            apis_sure=Count("pk", filter=Q(kind=Definition.API, sure=True)),
            specs=Count("pk", filter=Q(kind=Definition.SPEC)),
            specs_linked=Count("pk", filter=Q(kind=Definition.SPEC, linked=True)),
            specs_sure=Count("pk", filter=Q(kind=Definition.SPEC, sure=True)),
        )
    )
    shares = [
        Share(
            "APIs that a spec mentions",
            placed["apis_specified"],
            placed["apis"],
            f"{base}?kind=api&spec=no",
        )
    ]
    if revision.source_id is not None and revision.item_count:
        items = Item.objects.filter(
            source_id=revision.source_id, is_test=False, in_scope=True
        )
        linked = Exists(Link.objects.filter(item=OuterRef("pk"), rejected=False))
        counts = items.annotate(linked=linked).aggregate(
            told=Count("pk", filter=Q(linked=True)), all=Count("pk")
        )
        links = reverse("instances:links", args=[revision.instance.slug])
        shares += [
            Share(
                "APIs linked to the source",
                placed["apis_linked"],
                placed["apis"],
                f"{base}?kind=api&linked=no",
                placed["apis_linked"] - placed["apis_sure"],
            ),
            Share(
                "specs linked to the source",
                placed["specs_linked"],
                placed["specs"],
                f"{base}?kind=spec&linked=no",
                placed["specs_linked"] - placed["specs_sure"],
            ),
            Share(
                "source items in scope with a counterpart",
                counts["told"],
                counts["all"],
                f"{links}?test=no&scope=yes&linked=no",
            ),
        ]
    return shares


def stage_rail(revision: Revision, compiled: Compilation) -> list[Step]:
    """Return the pipeline stages with what the record knows of each, other apps' words first. No query of our own."""
    source = revision.source
    pinned = source is not None and bool(source.repository_url and source.commit)
    known: dict[str, tuple[str, str]] = {
        "init": ("ok", f"pinned at {source.commit[:7]}")
        if source and pinned
        else ("warn", "source not pinned"),
        "index": ("ok", plural(revision.item_count, "item"))
        if revision.item_count
        else ("off", "no source given"),
    }
    known["validate"] = _validated(revision, compiled)
    contributed: dict[str, Step] = {}
    for contribute in contributions.steps:
        contributed.update(contribute(revision))
    steps = []
    for name in STAGES:
        tone, note = known.get(name, ("off", "not recorded"))
        step = contributed.get(name) or Step(name, tone, note)
        steps.append(replace(step, current=name == "validate"))
    return steps


def _validated(revision: Revision, compiled: Compilation) -> tuple[str, str]:
    """Return tone and words of the stage “validate”, the worst first."""
    if revision.error_count:
        return "bad", plural(revision.error_count, "error")
    if compiled.failed:
        return "bad", f"{plural(len(compiled.failed), 'file')} not built"
    if revision.warning_count:
        return "warn", plural(revision.warning_count, "warning")
    if not compiled.told:
        return "off", "files read, not built"
    if compiled.left:
        return "off", f"{compiled.told} of {compiled.total} compiled"
    return "ok", "all compiled"


def _unbuilt(slug: str, compiled: Compilation) -> list[Blocker]:
    """Return what a build has still to tell: files that Lean refused, definitions that no build has told of."""
    place = f"{reverse('instances:detail', args=[slug])}#compiled"
    found = []
    if compiled.failed:
        named = ", ".join(compiled.failed[:_NAMED])
        more = len(compiled.failed) - _NAMED
        what = f"files that were not built: {named}"
        what += f" and {more} more" if more > 0 else ""
        found.append(Blocker("bad", "build", what, "See the build", place))
    # An empty revision has not compiled: there is nothing that a build could show.
    if compiled.left or not compiled.total:
        found.append(
            Blocker(
                "warn",
                "not built",
                "definitions that no build has told of, read as text only",
                "See the build",
                place,
                f"{compiled.left} of {compiled.total}",
            )
        )
    return found


def blockers(revision: Revision, compiled: Compilation | None = None) -> list[Blocker]:
    """Return what keeps the revision from shipping, worst first, other apps' included. One or two queries of our own."""
    slug = revision.instance.slug
    findings = reverse("instances:findings", args=[slug])
    found: list[Blocker] = []
    rows = (
        revision.findings.exclude(severity="info")
        .values("code", "severity")
        .annotate(number=Count("pk"))
        .order_by("severity", "-number")
    )
    for row in rows:
        tone = "bad" if row["severity"] == "error" else "warn"
        kind = KINDS.get(row["code"])  # a later version may no longer know it
        title = kind.title if kind else row["code"]
        what = f"{title}: {plural(row['number'], 'place')}"
        found.append(
            Blocker(
                tone,
                row["severity"],
                what,
                "Look at them",
                f"{findings}?code={row['code']}",
            )
        )
    found += _unbuilt(slug, compiled or compilation(revision))
    source = revision.source
    if source is None or not source.commit:
        found.append(
            Blocker(
                "warn",
                "source",
                "the source is not pinned to a commit",
                "See the manifest",
                _manifest(slug),
            )
        )
    elif source.snapshot_id is None:
        found.append(
            Blocker(
                "warn",
                "source",
                "the source files were not given",
                "Import them",
                reverse("instances:import"),
            )
        )
    for contribute in contributions.blockers:
        found.extend(contribute(revision))
    return found


def _manifest(slug: str) -> str:
    return reverse("instances:file", args=[slug, "manifest.json"])


def instance_tabs(revision: Revision) -> list[Tab]:
    """Return the tabs of the instance page, other apps' included."""
    slug = revision.instance.slug

    def address(name: str) -> str:
        return reverse(f"instances:{name}", args=[slug])

    own = [
        Tab("overview", "Overview", address("detail")),
        Tab(
            "definitions",
            "Definitions",
            address("definitions"),
            revision.definition_count,
        ),
        Tab("specs", "Specs", address("specs"), revision.spec_count),
        Tab("source", "Source", address("links"), revision.item_count or None),
        Tab(
            "findings",
            "Findings",
            address("findings"),
            revision.finding_count,
        ),
        Tab("files", "Files", address("files"), revision.snapshot.file_count),
        Tab("history", "History", address("history"), None),
    ]
    for contribute in contributions.tabs:
        own.extend(contribute(revision))
    return own
