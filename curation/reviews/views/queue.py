"""The queue: what waits, the next thing to read, and leases."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from curation.instances.models import Definition, Instance
from curation.reviews import leases
from curation.reviews.leases import LeaseTaken, NotWaiting
from curation.reviews.models import QueueEntry
from curation.reviews.selectors.queue import (
    ORDER,
    STATE_TONES,
    QueueFilter,
    counted,
    leased_to_others,
    queue_rows,
    saved_filters,
)
from workbench.access.models import User
from workbench.access.rights import get_visible_or_404
from workbench.access.roles import REVIEW
from workbench.ui.answers import is_htmx
from workbench.ui.paging import page_by_key

SIZE = 50


@require_safe
@login_required
def queue(request: HttpRequest) -> HttpResponse:
    """What waits for a reviewer, in order, with facets. The URL holds the state."""
    assert isinstance(request.user, User)  # login_required
    user = request.user
    wanted = QueueFilter.from_query(request.GET)
    page = page_by_key(queue_rows(user, wanted), request, ORDER, size=SIZE)
    seen = counted(user, wanted)
    return render(
        request,
        "reviews/queue.html",
        {
            "page": page,
            "total": seen.total,
            "facets": seen.facets,
            "wanted": wanted,
            "query": wanted.query(),
            "from_queue": wanted.query().removeprefix("?") or "all",
            "leased": leased_to_others(user, wanted),
            "saved": saved_filters(user),
            "tones": STATE_TONES,
        },
    )


@require_POST
@login_required
def take_next(request: HttpRequest) -> HttpResponse:
    """Lease the next definition and go there."""
    assert isinstance(request.user, User)  # login_required
    return redirect(leases.next_address(request.user, request))


def _definition(request: HttpRequest, definition_id: int) -> Definition:
    visible = Definition.objects.filter(
        instance__in=Instance.objects.visible_to(request.user, REVIEW)
    ).select_related("instance")
    return get_visible_or_404(visible, pk=definition_id)


@require_POST
@login_required
def lease(request: HttpRequest, definition_id: int) -> HttpResponse:
    """Take the definition, or extend the lease on it; answer with the line that says who has it."""
    assert isinstance(request.user, User)  # login_required
    definition = _definition(request, definition_id)
    token = request.POST.get("token", "")
    words = ""
    entry = leases.extend(request.user, definition, token) if token else None
    if entry is None:
        try:
            entry = leases.claim(request.user, definition)
        except (LeaseTaken, NotWaiting) as refused:
            words = str(refused)
    if not is_htmx(request):
        if words:
            messages.warning(request, words)
        return redirect("instances:definition", definition.instance.slug, definition.pk)
    return render(request, "reviews/lease.html", lease_context(request, definition))


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


def lease_context(request: HttpRequest, definition: Definition) -> dict[str, object]:
    """Return what reviews/lease.html needs. One query."""
    entry = (
        QueueEntry.objects.filter(definition=definition)
        .select_related("holder")
        .first()
    )
    return {
        "definition": definition,
        "entry": entry,
        "held": entry is not None and leases.is_held(entry),
        "mine": entry is not None
        and leases.is_held(entry)
        and entry.holder_id == request.user.pk,
        "from_queue": request.POST.get("queue") or request.GET.get("queue", ""),
    }
