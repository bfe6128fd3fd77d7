"""Take, extend and give back the lease on one definition."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
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


def lease_context(request: HttpRequest, definition: Definition) -> dict[str, Any]:
    """Return what reviews/lease.html needs beside `definition`. One query."""
    rows = QueueEntry.objects.filter(definition=definition).select_related("holder")
    entry = rows.first()
    held = entry is not None and leases.is_held(entry)
    return {
        "lease": entry,
        "lease_held": held,
        "lease_mine": entry is not None and held and entry.holder_id == request.user.pk,
        "from_queue": request.POST.get("queue") or request.GET.get("queue", ""),
    }


@require_POST
@login_required
def lease(request: HttpRequest, definition_id: int) -> HttpResponse:
    """Take the definition, or extend the lease on it; htmx is answered with the line that says who has it."""
    assert isinstance(request.user, User)  # login_required
    definition = _definition(request, definition_id)
    token = request.POST.get("token", "")
    words, lost = "", False
    if not (token and leases.extend(request.user, definition, token)):
        lost = bool(token)
        try:
            leases.claim(request.user, definition)
        except (LeaseTaken, NotWaiting) as refused:
            words = str(refused)
    if not is_htmx(request):
        if words:
            messages.warning(request, f"Not taken: {words}.")
        return redirect(_page(request, definition))
    context = {"definition": definition, **lease_context(request, definition)}
    response = render(request, "reviews/lease.html", context)
    if words and lost:
        announce(response, f"Your lease is over: {words}. What you typed stays here.")
    elif words:
        announce(response, f"Not taken: {words}.")
    return response


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
