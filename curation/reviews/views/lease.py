"""Take, extend and give back the lease on one definition."""

from __future__ import annotations

from datetime import timedelta
from typing import Any, Final

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.http import urlencode
from django.views.decorators.http import require_POST

from curation.instances.models import Definition, Instance
from curation.reviews import leases
from curation.reviews.leases import LeaseTaken, NotWaiting
from curation.reviews.models import QueueEntry
from curation.reviews.selectors.queue import QueueFilter
from workbench.access.models import User
from workbench.access.rights import get_visible_or_404
from workbench.access.roles import REVIEW
from workbench.ui.answers import announce, is_htmx

KEPT: Final = "What you typed stays in its field, and a decision needs no lease: you can still send it."
_SHORT = timedelta(minutes=2)


def lease_context(
    request: HttpRequest, entry: QueueEntry | None, token: str = ""
) -> dict[str, Any]:
    """Return what reviews/lease.html needs beside `definition`. No query where `holder` was joined.

    `token` is that of the lease which the page believes it has: `lease_lost` says what became of that one.
    """
    assert isinstance(request.user, User)  # login_required
    held = entry is not None and leases.is_held(entry)
    mine = entry is not None and held and entry.holder_id == request.user.pk
    left = (
        entry.leased_until - timezone.now()
        if entry is not None and entry.leased_until is not None
        else _SHORT
    )
    return {
        "lease": entry,
        "lease_held": held,
        "lease_mine": mine,
        "lease_short": mine and left < _SHORT,
        "lease_end": leases.lease_end(entry) if entry and mine else "",
        "lease_lost": leases.lost_words(request.user, entry) if token else "",
        "from_queue": request.POST.get("queue") or request.GET.get("queue", ""),
    }


@require_POST
@login_required
def lease(request: HttpRequest, definition_id: int) -> HttpResponse:
    """Take the definition, or extend the lease on it; htmx is answered with the line that says who has it."""
    assert isinstance(request.user, User)  # login_required
    definition = _definition(request, definition_id)
    token = request.POST.get("token", "")
    words = ""
    kept = token and leases.extend(request.user, definition, token)
    # A page that had it does not take anew what was given back elsewhere: it says that it is free.
    if not kept and (not token or _has_it(request.user, definition)):
        try:
            leases.claim(request.user, definition)
        except (LeaseTaken, NotWaiting) as refused:
            words = str(refused)
    if not is_htmx(request):
        if words:
            messages.warning(request, f"Not taken: {words}.")
        return redirect(_page(request, definition))
    rows = QueueEntry.objects.filter(definition=definition).select_related("holder")
    context = {
        "definition": definition,
        "lease_answer": True,
        **lease_context(request, rows.first(), token),
    }
    response = render(request, "reviews/lease.html", context)
    if context["lease_lost"]:
        announce(response, f"Your lease is over: {context['lease_lost']}. {KEPT}")
    elif words:
        announce(response, f"Not taken: {words}.")
    return response


def _has_it(user: User, definition: Definition) -> bool:
    entry = QueueEntry.objects.filter(definition=definition, holder=user).first()
    return entry is not None and leases.is_held(entry)


@require_POST
@login_required
def leave(request: HttpRequest, definition_id: int) -> HttpResponse:
    """The page was left: its lease ends soon, unless it is opened again. Nobody reads the answer."""
    assert isinstance(request.user, User)  # login_required
    definition = _definition(request, definition_id)
    token, until = request.POST.get("token", ""), request.POST.get("until", "")
    leases.let_go(request.user, definition, token, until)
    return HttpResponse(status=204)


@require_POST
@login_required
def give_back(request: HttpRequest, definition_id: int) -> HttpResponse:
    """Give the definition back and return to the queue."""
    assert isinstance(request.user, User)  # login_required
    definition = _definition(request, definition_id)
    if leases.give_back(request.user, definition, request.POST.get("token", "")):
        messages.success(request, f"{definition} is free for others again.")
    text = request.POST.get("queue", "")
    return redirect(reverse("reviews:queue") + QueueFilter.from_text(text).query())


def _definition(request: HttpRequest, definition_id: int) -> Definition:
    visible = Definition.objects.filter(
        instance__in=Instance.objects.visible_to(request.user, REVIEW)
    ).select_related("instance")
    return get_visible_or_404(visible, pk=definition_id)


def _page(request: HttpRequest, definition: Definition) -> str:
    page = reverse(
        "instances:definition", args=[definition.instance.slug, definition.pk]
    )
    text = request.POST.get("queue", "")
    return f"{page}?{urlencode({'queue': text})}" if text else page
