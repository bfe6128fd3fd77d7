"""The instance page and its tabs that only list."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.decorators import login_required
from django.db.models import Case, Count, QuerySet, Value, When
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from curation.instances import contributions
from curation.instances.models import Definition, RevisionFinding
from curation.instances.selectors.definitions import (
    DefinitionFilter,
    definition_facets,
    placements,
    standing_links_of,
)
from curation.instances.selectors.overview import (
    blockers,
    coverage,
    module_rows,
    stage_rail,
)
from curation.instances.selectors.specs import spec_rows
from curation.instances.selectors.terms import compilation
from curation.instances.views.pages import InstancePage, instance_page
from workbench.access.roles import REVIEW
from workbench.ui.paging import count_up_to, page_by_key
from workbench.ui.parts import facet

SEVERITY_TONES = {"error": "bad", "warning": "warn", "info": "info"}
_WORST_FIRST = Case(
    *(
        When(severity=name, then=Value(rank))
        for rank, name in enumerate(SEVERITY_TONES)
    ),
    default=Value(len(SEVERITY_TONES)),
)


@require_safe
@login_required
def detail(request: HttpRequest, slug: str) -> HttpResponse:
    """Can this instance ship, and what blocks it."""
    page = instance_page(request, slug, "overview")
    revision = page.revision
    compiled = compilation(revision)
    codes = (
        revision.findings.values("code", "severity")
        .annotate(number=Count("pk"), rank=_WORST_FIRST)
        .order_by("rank", "-number", "code")
    )
    return render(
        request,
        "instances/detail.html",
        page.context(
            compiled=compiled,
            steps=stage_rail(revision, compiled),
            blockers=blockers(revision, compiled),
            modules=module_rows(revision),
            coverage=coverage(revision),
            codes=[(SEVERITY_TONES[row["severity"]], row) for row in codes],
            revisions=page.instance.revisions.select_related("author").order_by(
                "-number"
            )[:6],
            panels=_panels(page),
            may_review=REVIEW in page.rights,
        ),
    )


def _panels(page: InstancePage) -> list[tuple[str, dict[str, Any]]]:
    """Return template and context of what other apps show on the overview."""
    found = []
    for panel in contributions.panels:
        context = panel.context(page.revision)
        if context is not None:
            found.append((panel.template, context))
    return found


@require_safe
@login_required
def definitions(request: HttpRequest, slug: str) -> HttpResponse:
    """Every definition of the current revision, with facets."""
    page = instance_page(request, slug, "definitions")
    wanted = DefinitionFilter.from_query(request.GET)
    found = placements(page.revision, wanted)
    rows = page_by_key(found, request, ("position",), size=100)
    links = standing_links_of(row.definition_id for row in rows.rows)
    return render(
        request,
        "instances/definitions.html",
        page.context(
            page=rows,
            rows=[(row, links.get(row.definition_id, [])) for row in rows.rows],
            total=count_up_to(found, 10_000),
            facets=definition_facets(page.revision, wanted),
            words=wanted.words,
            walk=wanted.query(),
        ),
    )


@require_safe
@login_required
def specs(request: HttpRequest, slug: str) -> HttpResponse:
    """Every spec with the APIs it is about."""
    page = instance_page(request, slug, "specs")
    wanted = DefinitionFilter.from_query(request.GET)
    wanted = DefinitionFilter(
        wanted.words, [Definition.SPEC], wanted.modules, wanted.linked
    )
    found = placements(page.revision, wanted)
    rows = page_by_key(found, request, ("position",), size=100)
    return render(
        request,
        "instances/specs.html",
        page.context(
            page=rows,
            rows=spec_rows(page.revision, rows.rows),
            total=count_up_to(found, 10_000),
            facets=[
                one
                for one in definition_facets(page.revision, wanted)
                if one.key != "kind"
            ],
            walk=wanted.query(),
            words=wanted.words,
        ),
    )


@require_safe
@login_required
def findings(request: HttpRequest, slug: str) -> HttpResponse:
    """What the importer noticed in the files."""
    page = instance_page(request, slug, "findings")
    severities = [
        one for one in request.GET.getlist("severity") if one in SEVERITY_TONES
    ]
    codes = request.GET.getlist("code")
    rows = page.revision.findings.annotate(rank=_WORST_FIRST)
    by_severity = rows.filter(code__in=codes) if codes else rows
    by_code = rows.filter(severity__in=severities) if severities else rows
    found = by_code.filter(code__in=codes) if codes else by_code

    facets = [
        facet(
            "severity",
            "Severity",
            _counted(by_severity, "severity"),
            severities,
            several=True,
            tones=SEVERITY_TONES,
        ),
        facet("code", "Finding", _counted(by_code, "code"), codes, several=True),
    ]
    return render(
        request,
        "instances/findings.html",
        page.context(
            page=page_by_key(found, request, ("rank", "code", "pk"), size=100),
            facets=facets,
            tones=SEVERITY_TONES,
            severities=RevisionFinding.SEVERITIES,
            total=count_up_to(found, 10_000),
        ),
    )


def _counted(rows: QuerySet[RevisionFinding], name: str) -> list[tuple[str, int]]:
    grouped = rows.values(name).annotate(number=Count("pk")).order_by(name)
    return [(row[name], row["number"]) for row in grouped]
