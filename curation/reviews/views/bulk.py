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
    Outcome,
    TooMany,
    approve_many,
    assign_many,
    reopen_many,
)
from curation.reviews.selectors.bulk import (
    APPROVE,
    ASSIGN,
    CONFIRMED_FROM,
    MOST,
    REOPEN,
    Read,
    preview,
    selected,
)
from curation.reviews.selectors.queue import NOBODY, QueueFilter
from workbench.access.models import User
from workbench.access.selectors import colleagues
from workbench.events.correlation import current_correlation
from workbench.numbers import whole_numbers
from workbench.ui.templatetags.ui import plural

# verb → heading, what the button says before the number, what is said afterwards
VERBS = {
    APPROVE: ("Approve", "Approve", "approved"),
    ASSIGN: ("Give away", "Give away", "given away"),
    REOPEN: ("Re-open", "Re-open", "open again"),
}
_NAMED, _SAMPLE = 5, 50


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
    _say(request, outcome, VERBS[verb][2])
    if not outcome.done:
        return redirect(back)
    return redirect("reviews:act", current_correlation())


def _act(request: HttpRequest, user: User, verb: str, items: list[Read]) -> Outcome:
    if verb == APPROVE:
        return approve_many(user, items)
    if verb == REOPEN:
        reason = request.POST.get("reason", "").replace("\0", "").strip()[:500]
        return reopen_many(user, items, reason=reason)
    return assign_many(user, items, _assignee(user, request.POST.get("assignee", "")))


def _say(request: HttpRequest, outcome: Outcome, word: str) -> None:
    if outcome.done:
        number = plural(len(outcome.done), "definition")
        messages.success(request, f"{number} {word}. It can be undone as one act.")
    if outcome.left:
        named = "; ".join(f"{name}: {why}" for name, why in outcome.left[:_NAMED])
        more = len(outcome.left) - _NAMED
        named += f"; and {more} more" if more > 0 else ""
        messages.warning(request, f"Left out: {named}.")


def _verb(query: Any) -> str:
    verb: str = query.get("verb", "")
    if verb not in VERBS:
        raise BadRequest(f"verb: expected one of {', '.join(VERBS)}.")
    return verb


def _assignee(user: User, name: str) -> User | None:
    """Return the colleague called `name`; None for nobody in particular. Raises `BadRequest`."""
    if name == NOBODY:
        return None
    if name == user.username:
        return user
    found = next((one for one in colleagues(user) if one.username == name), None)
    if found is None:
        raise BadRequest("assignee: expected a person of one of your teams, or nobody.")
    return found


def _preview(request: HttpRequest, user: User, query: Any) -> HttpResponse:
    verb = _verb(query)
    text = query.get("queue", "")
    ids = whole_numbers(query.getlist("item")[: MOST + 1])
    everything = query.get("all") == "yes"
    wanted = QueueFilter.from_text(text) if everything else None
    name = query.get("assignee") or user.username
    assignee = _assignee(user, name) if verb == ASSIGN else None
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
