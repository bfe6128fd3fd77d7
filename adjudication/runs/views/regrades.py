"""Regrade sets: chosen from the list of runs, watched, applied or cancelled as one act."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db.models import Count, Q
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_safe

from adjudication.runs.actions.regrade import (
    NothingChosen,
    WrongState,
    apply_regrade_set,
    cancel_regrade_set,
    make_regrade_set,
    may_settle,
)
from adjudication.runs.models import RegradeSet
from adjudication.runs.selectors.compare import (
    CASES,
    CHANGE_TONES,
    CHANGES,
    SAME,
    Change,
    Matrix,
    set_matrix,
    set_outcomes,
)
from adjudication.runs.selectors.runs import STATES, RunFilter, listed_runs
from adjudication.runs.selectors.visible import visible_sets
from workbench.access.models import User
from workbench.access.rights import get_visible_or_404, teams_with
from workbench.access.roles import VIEW
from workbench.jobs.models import Job
from workbench.ui.answers import done, takes_forms_of
from workbench.ui.paging import count_up_to, page_by_key
from workbench.ui.parts import Tab
from workbench.ui.templatetags.ui import plural

_ALL, _CHANGED = "all", "changed"
SET_TONES = {"open": "run", "applied": "ok", "cancelled": "na"}


@require_safe
@login_required
def set_list(request: HttpRequest) -> HttpResponse:
    """Regrade sets, newest first."""
    rows = (
        visible_sets(request.user)
        .select_related("owner")
        .annotate(
            run_count=Count("runs"),
            ended=Count("runs", filter=~Q(runs__receipt_hash="")),
        )
    )
    page = page_by_key(rows, request, ("-pk",))
    listed = [(SET_TONES[row.state], row) for row in page.rows]
    return render(request, "runs/regrade_sets.html", {"page": page, "listed": listed})


@takes_forms_of(lambda: reverse("runs:list"))
@login_required
def make(request: HttpRequest) -> HttpResponse:
    """Make a set of the current runs that the list showed: its filter comes along."""
    user = request.user
    assert isinstance(user, User)  # login_required
    team = get_visible_or_404(teams_with(user, VIEW), slug=request.POST.get("team", ""))
    query = QueryDict(request.POST.get("query", "")[:2000].encode())
    reason = request.POST.get("reason", "").replace("\0", "").strip()
    runs = listed_runs(user, RunFilter.from_query(query)).regradable()
    if not reason:
        return _not_made(
            request,
            "Say why they are graded again: the reason stays on the page of the set.",
        )
    try:
        made = make_regrade_set(
            user,
            team,
            runs.select_related("submission__team")[:5001],
            title=request.POST.get("title", "").strip() or reason[:80],
            reason=reason,
            query=query.urlencode(),
            on_current_revision=bool(request.POST.get("newest")),
            key=f"form:{user.pk}:{request.POST.get('form_key', '')[:64]}",
        )
    except NothingChosen as error:
        return _not_made(request, str(error))
    return done(
        request,
        made.get_absolute_url(),
        f"{made.runs.count()} runs queued beside the current results.",
    )


def _not_made(request: HttpRequest, why: str) -> HttpResponse:
    messages.error(request, why)
    query = QueryDict(request.POST.get("query", "")[:2000].encode()).urlencode()
    response = redirect("runs:list")
    if query:
        response["Location"] += f"?{query}"
    return response


@require_safe
@login_required
def set_page(request: HttpRequest, pk: int) -> HttpResponse:
    """A set: how far it is, what changed from old to new, and its two ways to end."""
    found = get_visible_or_404(
        visible_sets(request.user).select_related("owner", "team"), pk=pk
    )
    return render(request, "runs/regrade_set.html", _context(request, found))


def _context(request: HttpRequest, found: RegradeSet) -> dict[str, Any]:
    assert isinstance(request.user, User)  # login_required
    states = found.runs.shown().aggregate(
        **{name: Count("pk", filter=case) for name, case in STATES.items()}
    )
    total = sum(states.values())
    waiting = states[Job.QUEUED] + states[Job.RUNNING]
    old, new = request.GET.get("old", ""), request.GET.get("new", "")
    rows = set_outcomes(found).select_related(
        "run__instance", "run__submission__configuration"
    )
    if old:
        rows = rows.filter(old=old)
    if new:
        rows = rows.filter(outcome=new)
    matrix = set_matrix(found)
    chosen = _wanted(request, matrix)
    if chosen == _CHANGED:
        rows = rows.exclude(CASES[SAME])
    elif chosen in CASES:
        rows = rows.filter(CASES[chosen])
    page = page_by_key(rows, request, ("pk",), size=100)
    settle = may_settle(request.user, found) and found.state == RegradeSet.OPEN
    return {
        "set": found,
        "tone": SET_TONES[found.state],
        "states": [
            (Job.TONES[name], name, number) for name, number in states.items() if number
        ],
        "total": total,
        "retired": found.runs.count() - total,
        "ended": total - waiting,
        "waiting": waiting,
        "matrix": matrix,
        "switch": _switch(request, matrix, chosen),
        "tones": CHANGE_TONES,
        "page": page,
        "rows": [
            (row, Change(row.spec, row.old, row.outcome, "", row.detail))
            for row in page.rows
        ],
        "row_total": count_up_to(rows, 5000),
        "old": old,
        "new": new,
        "may_cancel": settle,
        "may_apply": settle and not waiting and states[Job.DONE] > 0,
    }


def _wanted(request: HttpRequest, matrix: Matrix) -> str:
    """Return which changes are listed: what is asked for, else what changed, else all; a cell of the matrix says it itself."""
    if request.GET.get("old") or request.GET.get("new"):
        return _ALL
    asked = request.GET.get("change", "")
    if asked in (*CASES, _ALL, _CHANGED):
        return asked
    return _CHANGED if any(n for kind, n in matrix.changes if kind != SAME) else _ALL


def _switch(request: HttpRequest, matrix: Matrix, chosen: str) -> list[Tab]:
    counts = dict(matrix.changes)
    total = sum(counts.values())
    listed = [
        (_CHANGED, "Changed", total - counts[SAME]),
        *((kind, words, counts[kind]) for kind, words in CHANGES.items()),
        (_ALL, "All", total),
    ]
    return [
        Tab(words, f"?change={kind}#outcomes", chosen == kind, number)
        for kind, words, number in listed
    ]


def _settle(
    request: HttpRequest, pk: int, act: Callable[[User, RegradeSet], str]
) -> HttpResponse:
    user = request.user
    assert isinstance(user, User)  # login_required
    found = get_visible_or_404(visible_sets(user), pk=pk)
    try:
        words = act(user, found)
    except WrongState as error:
        messages.error(request, str(error))
        return redirect(found.get_absolute_url())
    return done(request, found.get_absolute_url(), words)


@takes_forms_of(lambda pk: reverse("runs:regrade_set", args=[pk]))
@login_required
def apply(request: HttpRequest, pk: int) -> HttpResponse:
    """Make every run of the set the current one."""

    def act(user: User, found: RegradeSet) -> str:
        applied = apply_regrade_set(user, found)
        left = (
            f"; {applied.left} without a verdict keep their old result"
            if applied.left
            else ""
        )
        return f"{plural(applied.current, 'run counts,runs count')} now{left}."

    return _settle(request, pk, act)


@takes_forms_of(lambda pk: reverse("runs:regrade_set", args=[pk]))
@login_required
def cancel(request: HttpRequest, pk: int) -> HttpResponse:
    """Stop the set; the current results stay."""

    def act(user: User, found: RegradeSet) -> str:
        cancel_regrade_set(user, found)
        return "Cancelled. The current results stay as they were."

    return _settle(request, pk, act)
