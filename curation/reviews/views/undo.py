"""One act: what it did, what undoing it would do, and undoing it."""

from __future__ import annotations

import uuid

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe
from django_htmx.http import HttpResponseClientRedirect

from curation.reviews.undo import (
    MOST,
    Act,
    ActMoved,
    Undone,
    act_of,
    undo_act,
    undoers_of,
)
from workbench.access.models import User
from workbench.events.correlation import current_correlation
from workbench.events.telling import act as told
from workbench.numbers import whole_numbers
from workbench.ui.answers import is_htmx, safe_next
from workbench.ui.templatetags.ui import plural

_NAMED = 3


@require_safe
@login_required
def act(request: HttpRequest, correlation: uuid.UUID) -> HttpResponse:
    """What one act did, and what undoing it would do: the exact preview."""
    assert isinstance(request.user, User)  # login_required
    found = act_of(request.user, correlation)
    if not found.events:
        raise Http404("There is no such act, or it is not yours to see.")
    return _page(request, found)


@require_POST
@login_required
def undo(request: HttpRequest, correlation: uuid.UUID) -> HttpResponse:
    """Undo the act as the preview said; show the preview anew where that is no longer so."""
    assert isinstance(request.user, User)  # login_required
    expected = set(whole_numbers(request.POST.getlist("event")))
    reason = request.POST.get("reason", "").replace("\0", "").strip()[:500]
    if not act_of(request.user, correlation).events:
        raise Http404("There is no such act, or it is not yours to see.")
    try:
        undone = undo_act(request.user, correlation, expected=expected, reason=reason)
    except ActMoved as moved:
        if is_htmx(request):  # from a message: the page of the act says what it is now
            messages.warning(request, f"Nothing was undone. {moved}")
            return HttpResponseClientRedirect(
                reverse("reviews:act", args=[correlation])
            )
        return _page(request, moved.act, moved=str(moved), reason=reason, status=409)
    if undone.done:
        messages.success(request, _undone(undone))
    if undone.left:
        named = [f"{one.event.object_name}: {one.obstacle}" for one in undone.left]
        more = len(named) - _NAMED
        words = "; ".join(named[:_NAMED]) + (f"; and {more} more" if more > 0 else "")
        messages.warning(request, f"Left as they are: {words}.")
    to = reverse(
        "reviews:act", args=[current_correlation() if undone.done else correlation]
    )
    to = safe_next(request, to)
    return HttpResponseClientRedirect(to) if is_htmx(request) else redirect(to)


def _undone(undone: Undone) -> str:
    if len(undone.done) > 1:
        return f"Undone: {plural(len(undone.done), 'change')}."
    event = undone.done[0]
    return f"Undone: {event.object_name}, {undoers_of(event).does(event)}."


def _page(
    request: HttpRequest,
    found: Act,
    *,
    moved: str = "",
    reason: str = "",
    status: int = 200,
) -> HttpResponse:
    first = found.events[-1] if found.events else None
    return render(
        request,
        "reviews/act.html",
        {
            "act": found,
            "first": first,
            "rows": [(step, told(step.event)) for step in found.steps],
            "implied": [
                (event, told(event)) for event in found.events if event.implicit
            ],
            "moved": moved,
            "reason": reason,
            "too_many": len(found.events) > MOST,
        },
        status=status,
    )
