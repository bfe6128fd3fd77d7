"""Many findings at once: the exact preview, and the act."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import BadRequest
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_safe

from adjudication.audits.actions.bulk import (
    assign_many,
    dismiss_many,
)
from adjudication.audits.actions.settle_finding import Incomplete
from adjudication.audits.selectors.bulk import (
    ASSIGN,
    DISMISS,
    Seen,
    preview,
    selected,
)
from adjudication.audits.selectors.findings import (
    SEVERITY_TONES,
    TONES,
    FindingFilter,
)
from adjudication.audits.states import DISMISSALS
from workbench.access.models import User
from workbench.access.selectors import NOBODY, colleagues
from workbench.bulk import CONFIRMED_FROM, MOST, Outcome, TooMany
from workbench.events.correlation import current_correlation
from workbench.numbers import whole_numbers
from workbench.ui.answers import takes_forms_of
from workbench.ui.bulk import assignee_named, say

# verb → heading and button, what is said afterwards
VERBS = {ASSIGN: ("Assign", "assigned"), DISMISS: ("Dismiss", "dismissed")}
_SAMPLE = 50


@require_safe
@login_required
def bulk(request: HttpRequest) -> HttpResponse:
    """What the act would do, and what it leaves out and why."""
    return _preview(request, request.GET)


@takes_forms_of(lambda: reverse("audits:list"))
@login_required
def bulk_do(request: HttpRequest) -> HttpResponse:
    """Do what the preview said; what changed since is left out and said. What was typed stays where nothing was done."""
    user, verb = _user(request), _verb(request.POST)
    given = (Seen.parse(text) for text in request.POST.getlist("seen"))
    items = list({item.finding: item for item in given if item}.values())
    wanted = FindingFilter.from_text(request.POST.get("filter", ""))
    back = reverse("audits:list") + wanted.query()
    if not items:
        messages.warning(request, "Nothing was selected, so nothing was done.")
        return redirect(back)
    if len(items) >= CONFIRMED_FROM and not request.POST.get("sure"):
        why = f"Say that you mean all {len(items)} of them."
        return _preview(request, request.POST, items, why, 422)
    try:
        outcome = _act(request, user, verb, items)
    except (Incomplete, TooMany) as refused:
        return _preview(request, request.POST, items, str(refused), 422)
    say(request, outcome, "finding", VERBS[verb][1])
    if not outcome.done:
        return redirect(back)
    return redirect("reviews:act", current_correlation())


def _act(request: HttpRequest, user: User, verb: str, items: list[Seen]) -> Outcome:
    if verb == DISMISS:
        code, reason = request.POST.get("code", ""), request.POST.get("reason", "")
        return dismiss_many(user, items, code=code, reason=reason)
    return assign_many(
        user, items, assignee_named(user, request.POST.get("assignee", ""))
    )


def _user(request: HttpRequest) -> User:
    assert isinstance(request.user, User)  # login_required
    return request.user


def _verb(query: Any) -> str:
    verb: str = query.get("verb", "")
    if verb not in VERBS:
        raise BadRequest(f"verb: expected one of {', '.join(VERBS)}.")
    return verb


def _preview(
    request: HttpRequest,
    query: Any,
    items: list[Seen] | None = None,
    why: str = "",
    status: int = 200,
) -> HttpResponse:
    user, verb = _user(request), _verb(query)
    text = query.get("filter", "")
    wanted = FindingFilter.from_text(text)
    ids = whole_numbers(query.getlist("item")[: MOST + 1])
    if items is not None:
        ids = [item.finding for item in items[: MOST + 1]]
    everything = query.get("all") == "yes" and items is None
    name = query.get("assignee") or user.username
    assignee = assignee_named(user, name) if verb == ASSIGN else None
    rows = selected(user, ids, wanted if everything else None)
    found = preview(user, verb, rows, assignee)
    context = {
        "verb": verb,
        "heading": VERBS[verb][0],
        "preview": found,
        "number": len(found.chosen),
        "sample": [(TONES[one.finding.state], SEVERITY_TONES[one.finding.severity], one) for one in found.chosen[:_SAMPLE]],
        "rest": len(found.chosen) - _SAMPLE,
        "must_confirm": len(found.chosen) >= CONFIRMED_FROM,
        "most": MOST,
        "assignee": name,
        "people": list(colleagues(user)) if verb == ASSIGN else [],
        "nobody": NOBODY,
        "dismissals": DISMISSALS,
        "typed": query,
        "filter": text[:4000],
        "why": why,
        "back": reverse("audits:list") + wanted.query(),
    }  # fmt: skip
    return render(request, "audits/bulk.html", context, status=status)
