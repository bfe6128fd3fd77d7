"""Many definitions at once: the exact preview, and the act."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import BadRequest
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from curation.reviews.actions.bulk import (
    approve_many,
    assign_many,
    reopen_many,
)
from curation.reviews.selectors.bulk import (
    APPROVE,
    ASSIGN,
    REOPEN,
    Read,
    preview,
    selected,
)
from curation.reviews.selectors.queue import QueueFilter
from workbench.access.models import User
from workbench.access.selectors import colleagues
from workbench.bulk import CONFIRMED_FROM, MOST, Outcome, TooMany
from workbench.events.correlation import current_correlation
from workbench.numbers import whole_numbers
from workbench.ui.bulk import assignee_named, say

# verb → heading, what the button says before the number, what is said afterwards
VERBS = {
    APPROVE: ("Approve", "Approve", "approved"),
    ASSIGN: ("Give away", "Give away", "given away"),
    REOPEN: ("Re-open", "Re-open", "open again"),
}
_SAMPLE = 50


@require_safe
@login_required
def bulk(request: HttpRequest) -> HttpResponse:
    """What the act would do, and what it leaves out and why."""
    assert isinstance(request.user, User)  # login_required
    return _preview(request, request.user, request.GET)


@require_POST
@login_required
def bulk_do(request: HttpRequest) -> HttpResponse:
    """Do what the preview said; what changed since is left out and said."""
    assert isinstance(request.user, User)  # login_required
    verb, user = _verb(request.POST), request.user
    given = (Read.parse(text) for text in request.POST.getlist("item"))
    items = list({item.definition: item for item in given if item}.values())
    text = request.POST.get("queue", "")
    back = reverse("reviews:queue") + QueueFilter.from_text(text).query()
    if not items:
        messages.warning(request, "Nothing was selected, so nothing was done.")
        return redirect(back)
    if len(items) >= CONFIRMED_FROM and not request.POST.get("sure"):
        messages.error(
            request,
            f"Nothing was done: say that you mean all {len(items)} of them.",
        )
        return redirect(_again(request, items))
    try:
        outcome = _act(request, user, verb, items)
    except TooMany as refused:
        messages.error(request, f"Nothing was done. {refused}")
        return redirect(back)
    say(request, outcome, "definition", VERBS[verb][2])
    if not outcome.done:
        return redirect(back)
    return redirect("reviews:act", current_correlation())


def _act(request: HttpRequest, user: User, verb: str, items: list[Read]) -> Outcome:
    if verb == APPROVE:
        return approve_many(user, items)
    if verb == REOPEN:
        reason = request.POST.get("reason", "").replace("\0", "").strip()[:500]
        return reopen_many(user, items, reason=reason)
    return assign_many(
        user, items, assignee_named(user, request.POST.get("assignee", ""))
    )


def _verb(query: Any) -> str:
    verb: str = query.get("verb", "")
    if verb not in VERBS:
        raise BadRequest(f"verb: expected one of {', '.join(VERBS)}.")
    return verb


def _preview(request: HttpRequest, user: User, query: Any) -> HttpResponse:
    verb = _verb(query)
    text = query.get("queue", "")
    ids = whole_numbers(query.getlist("item")[: MOST + 1])
    everything = query.get("all") == "yes"
    wanted = QueueFilter.from_text(text) if everything else None
    name = query.get("assignee") or user.username
    assignee = assignee_named(user, name) if verb == ASSIGN else None
    found = preview(user, verb, selected(user, ids, wanted), assignee)
    heading, button, _ = VERBS[verb]
    return render(
        request,
        "reviews/bulk.html",
        {
            "verb": verb,
            "heading": heading,
            "button": button,
            "preview": found,
            "number": len(found.chosen),
            "sample": found.chosen[:_SAMPLE],
            "rest": len(found.chosen) - _SAMPLE,
            "must_confirm": len(found.chosen) >= CONFIRMED_FROM,
            "most": MOST,
            "assignee": name,
            "people": list(colleagues(user)) if verb == ASSIGN else [],
            "queue": text,
            "reason": query.get("reason", "")[:500],
            "back": reverse("reviews:queue") + QueueFilter.from_text(text).query(),
        },
    )


def _again(request: HttpRequest, items: list[Read]) -> str:
    """Return the address of the same preview."""
    query = request.POST.copy()
    for key in ("csrfmiddlewaretoken", "item", "sure"):
        query.pop(key, None)
    query.setlist("item", [str(item.definition) for item in items])
    return f"{reverse('reviews:bulk')}?{query.urlencode()}"
