"""One finding."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_safe

from adjudication.audits.actions.decide_seen import mark_of
from adjudication.audits.models import Closure, Finding, Ruling
from adjudication.audits.selectors.contradictions import contradictions
from adjudication.audits.selectors.findings import (
    SEVERITY_TONES,
    TONES,
    visible_findings,
)
from adjudication.audits.states import DISMISSALS, MOVES
from adjudication.grading.outcomes import LIGHTS
from curation.instances.models import Placement
from workbench.access.models import User
from workbench.access.rights import allowed, get_visible_or_404
from workbench.access.roles import ADJUDICATE
from workbench.code.cache import highlighted
from workbench.code.pane import Pane, build_pane

_LIGHT_TONES = {"g": ("ok", "green"), "r": ("bad", "red")}


def visible_finding(request: HttpRequest, slug: str, number: int) -> Finding:
    """Return the finding. Raises `Http404` for what the person may not see."""
    rows = visible_findings(request.user).select_related(
        "instance__team", "assignee", "duplicate_of__instance"
    )
    # No column holds a larger number; a database would say so with an error.
    return get_visible_or_404(rows, instance__slug=slug, number=min(number, 2**31 - 1))


@require_safe
@login_required
def by_id(request: HttpRequest, pk: int) -> HttpResponse:
    """Lead to the page of a finding."""
    found = get_visible_or_404(
        visible_findings(request.user).select_related("instance"), pk=pk
    )
    return redirect("audits:finding", found.instance.slug, found.number)


@require_safe
@login_required
def page(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """What was found, what was decided about it, and what can be done."""
    found = visible_finding(request, slug, number)
    return render(request, "audits/finding.html", page_context(request, found))


def page_context(request: HttpRequest, finding: Finding) -> dict[str, Any]:
    """Return what the page of `finding` shows this person."""
    assert isinstance(request.user, User)  # login_required
    closures = list(
        finding.closures.select_related("revision", "run", "configuration", "person")
    )
    may = allowed(request.user, ADJUDICATE, finding.instance)
    newest = max((closure.revision.number for closure in closures), default=0)
    names = dict(Finding.STATES)
    return {
        "finding": finding,
        "tone": TONES[finding.state],
        "severity_tone": SEVERITY_TONES[finding.severity],
        "ways": [(TONES[to], names[to]) for to in names if to in MOVES[finding.state]],
        "to": MOVES[finding.state],
        "mark": mark_of(finding),
        "specs": _spec_panes(closures),
        "closures": [(c, _lights(c), _proof_pane(c)) for c in closures],
        "alarms": contradictions(
            finding.instance_id, sorted({closure.revision_id for closure in closures})
        ),
        "rulings": finding.rulings.select_related("by"),
        "turning_points": finding.turning_points.select_related("by").order_by("-pk"),
        "repairs": finding.repairs.select_related("revision", "by", "job"),
        "may": may,
        "dismissals": DISMISSALS,
        "categories": Ruling.CATEGORIES,
        "severities": Finding.SEVERITIES,
        "newer": finding.instance.revisions.filter(number__gt=newest).order_by("-number")[:50] if may else (),
        "others": finding.instance.audit_findings.exclude(pk=finding.pk).order_by("-number")[:200] if may else (),
        "typed": {},
    }  # fmt: skip


def _spec_panes(closures: list[Closure]) -> list[tuple[Placement, Pane]]:
    """Return the specs as the newest revision with a closure has them. One query."""
    if not closures:
        return []
    last = max(closures, key=lambda closure: closure.revision.number)
    placed = Placement.objects.filter(
        revision=last.revision_id, definition__closures__in=closures
    )
    rows = placed.select_related("definition", "translation", "revision").distinct()
    return [
        (row, _pane(row.translation.text, f"spec{row.pk}", f"Spec {row.definition}"))
        for row in rows
    ]


def _proof_pane(closure: Closure) -> Pane | None:
    if not closure.proof:
        return None
    return _pane(closure.proof, f"proof{closure.pk}", f"Proof of {closure.theorem}")


def _pane(text: str, key: str, label: str) -> Pane:
    return build_pane(highlighted(text, "lean4"), key=key, label=label)


def _lights(closure: Closure) -> list[tuple[str, str]]:
    """Return (tone, words) of each light. What no light says is “not known”, never green."""
    found = []
    for name, letter in zip(
        LIGHTS, closure.lights.ljust(len(LIGHTS), "-"), strict=True
    ):
        tone, word = _LIGHT_TONES.get(letter, ("off", "not known"))
        found.append((tone, f"{name} {word}"))
    return found
