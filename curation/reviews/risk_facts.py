"""Gather what risk.py weighs, for a whole revision or for some of its definitions."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Sequence

from curation.instances.models import Definition, Link, Placement, Revision, Use
from curation.reviews.risk import Facts


def facts_of(
    revision: Revision,
    placements: Sequence[Placement],
    *,
    only: Collection[int] | None = None,
) -> dict[int, Facts]:
    """Return the facts of `placements` (with their definitions) by definition. Four queries.

    `only` narrows the queries to those ids; leave it out for a whole revision.
    """
    users, apis, specs = _uses(revision, only)
    links = _links(revision, only)
    marks = _findings(revision, {row.definition.path for row in placements}, only)
    facts = {}
    for row in placements:
        key = row.definition_id
        errors, warnings = _at(marks[row.definition.path], row)
        facts[key] = Facts(
            row.kind,
            row.line_end - row.line_start + 1,
            users[key],
            errors,
            warnings,
            links.get(key, "none") if revision.item_count else None,
            apis[key],
            specs[key],
        )
    return facts


def _uses(
    revision: Revision, only: Collection[int] | None
) -> tuple[Counter[int], Counter[int], Counter[int]]:
    """Return how many definitions name each, how many APIs each spec is about, and how many specs mention each."""
    kinds = dict(
        Placement.objects.filter(
            revision=revision, kind__in=(Definition.API, Definition.SPEC)
        ).values_list("definition_id", "kind")
    )
    rows = Use.objects.filter(revision=revision)
    if only is not None:
        rows = rows.filter(user__in=only) | rows.filter(used__in=only)
    users: Counter[int] = Counter()
    apis: Counter[int] = Counter()
    specs: Counter[int] = Counter()
    for user, used, indirect in rows.values_list("user_id", "used_id", "indirect"):
        users[used] += not indirect
        apis[user] += kinds.get(used) == Definition.API
        specs[used] += kinds.get(user) == Definition.SPEC
    return users, apis, specs


def _links(revision: Revision, only: Collection[int] | None) -> dict[int, str]:
    rows = Link.objects.filter(item__source=revision.source_id, rejected=False)
    if only is not None:
        rows = rows.filter(definition__in=only)
    found: dict[int, str] = {}
    for definition, confidence in rows.values_list("definition_id", "confidence"):
        if confidence != "guess":
            found[definition] = "sure"
        else:
            found.setdefault(definition, "guess")
    return found


Mark = tuple[int | None, str, str]  # no line: none is asked for


def _findings(
    revision: Revision, paths: Collection[str], only: Collection[int] | None
) -> dict[str, list[Mark]]:
    """Return (line, severity, code) of the errors and warnings, by file."""
    rows = revision.findings.exclude(severity="info").filter(line__isnull=False)
    if only is not None:
        rows = rows.filter(path__in=paths)
    found: dict[str, list[Mark]] = defaultdict(list)
    for path, line, severity, code in rows.values_list(
        "path", "line", "severity", "code"
    ):
        found[path].append((line, severity, code))
    return found


def _at(marks: Iterable[Mark], row: Placement) -> tuple[list[str], list[str]]:
    errors: list[str] = []
    warnings: list[str] = []
    for line, severity, code in marks:
        if line is not None and row.line_start <= line <= row.line_end:
            (errors if severity == "error" else warnings).append(code)
    return sorted(errors), sorted(warnings)
