"""One finding."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_safe

from adjudication.audits.actions.decide_seen import mark_of
from adjudication.audits.actions.merge_findings import split_from
from adjudication.audits.actions.repair_finding import (
    made_by,
    recheck_runs,
    why_not_verify,
)
from adjudication.audits.models import Finding, Ruling
from adjudication.audits.selectors.contradictions import contradictions
from adjudication.audits.selectors.finding_page import (
    chosen_closure,
    opened,
    rail,
    reasons,
    shown_closures,
    spec_panes,
)
from adjudication.audits.selectors.findings import (
    SEVERITY_TONES,
    TONES,
    visible_findings,
)
from adjudication.audits.states import CLOSED, DISMISSALS, MOVES
from workbench.access.models import User
from workbench.access.rights import allowed, get_visible_or_404
from workbench.access.roles import ADJUDICATE
from workbench.access.selectors import colleagues
from workbench.numbers import whole_number


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
    rows = finding.closures.select_related("revision", "run", "configuration", "person")
    closures = list(rows)
    asked = whole_number(request.GET.get("closure", ""))
    chosen = chosen_closure(closures, asked)
    points = list(finding.turning_points.select_related("by").order_by("-pk"))
    repairs = list(finding.repairs.select_related("revision", "by", "job"))
    specs, more_specs = spec_panes(closures)
    merges = list(
        finding.merged_in.filter(is_current=True)
        .select_related("finding__instance", "by")
        .prefetch_related("closures")
    )
    listed = shown_closures(closures, chosen, merges)
    newest = max((closure.revision.number for closure in closures), default=0)
    may = allowed(request.user, ADJUDICATE, finding.instance)
    return {
        "finding": finding,
        "tone": TONES[finding.state],
        "severity_tone": SEVERITY_TONES[finding.severity],
        "rail": rail(finding, points),
        "to": MOVES[finding.state],
        "mark": mark_of(finding),
        "specs": specs,
        "more_specs": more_specs,
        "newest": newest,
        "closures": listed,
        "reasons": reasons(listed),
        "split_of": split_from(finding),
        "proved": sum(closure.is_proved for closure in closures),
        "shown": opened(chosen) if chosen else None,
        "alarms": contradictions(
            finding.instance_id, sorted({closure.revision_id for closure in closures})
        ),
        "rulings": finding.rulings.select_related("by"),
        "turning_points": points,
        "repairs": repairs,
        "checks": recheck_runs(repairs[0]) if repairs and repairs[0].holds is None else (),
        "merged_in": merges,
        "may": may,
        "is_mine": may and made_by(request.user, next(iter(repairs), None)),
        "why_not_verify": may and why_not_verify(request.user, next(iter(repairs), None), next(iter(points), None)),
        **(_choices(request.user, finding, newest) if may else {}),
        "typed": {},
    }  # fmt: skip


def _choices(user: User, finding: Finding, newest: int) -> dict[str, Any]:
    """Return what an adjudicator chooses from."""
    others = finding.instance.audit_findings.exclude(pk=finding.pk)
    return {
        "dismissals": DISMISSALS,
        "categories": Ruling.CATEGORIES,
        "severities": Finding.SEVERITIES,
        "newer": finding.instance.revisions.filter(number__gt=newest).order_by("-number")[:50],
        "others": others.exclude(state__in=CLOSED).order_by("-number")[:200],
        "people": colleagues(user),
    }  # fmt: skip
