"""The queue: what waits for a reviewer, in which order, and the next thing to read."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from curation.reviews import leases
from curation.reviews.actions.save_filter import BadFilter, forget_filter, save_filter
from curation.reviews.models import QueueEntry, SavedFilter
from curation.reviews.risk import TABLE, band
from curation.reviews.selectors.queue import (
    KINDS,
    LEASES,
    ORDER,
    POOLS,
    RISKS,
    STATE_TONES,
    STATES,
    QueueFilter,
    leased_to_others,
    may_review_somewhere,
    queue_rows,
    saved_filters,
)
from curation.reviews.selectors.queue_facets import counted
from workbench.access.models import User
from workbench.access.rights import get_visible_or_404
from workbench.ui.answers import done
from workbench.ui.paging import page_by_key

SIZE = 50
_SHOWN = 60
_CHOICES: tuple[tuple[str, Collection[str]], ...] = (
    ("kind", KINDS),
    ("state", STATES),
    ("risk", RISKS),
    ("dropped", ("yes", "no")),
    ("pool", POOLS),
    ("lease", LEASES),
)


@require_safe
@login_required
def queue(request: HttpRequest) -> HttpResponse:
    """The page; for htmx, its list and its filters. The URL holds the state."""
    assert isinstance(request.user, User)  # login_required
    context = _context(request, request.user)
    if request.headers.get("HX-Target") == "queue-rows":
        return render(request, "reviews/queue_rows.html", context | {"live": True})
    context |= {
        "saved": saved_filters(request.user),
        "risk_table": TABLE,
    }
    return render(request, "reviews/queue.html", context)


def _context(request: HttpRequest, user: User) -> dict[str, Any]:
    wanted = QueueFilter.from_query(request.GET)
    page = page_by_key(queue_rows(user, wanted), request, ORDER, size=SIZE)
    seen = counted(user, wanted)
    leased = leased_to_others(user, wanted)
    return {
        "page": page,
        "rows": [_row(entry, user) for entry in page.rows],
        "total": seen.total,
        "facets": seen.facets,
        "wanted": wanted,
        "filtered": bool(wanted.query()),
        "unknown": _unknown(request),
        "from_queue": wanted.query().removeprefix("?") or "all",
        "leased": leased,
        "leased_words": leases.leased_words(leased),
        "fragment_url": request.get_full_path(),
        "may_review": may_review_somewhere(user),
    }


def _unknown(request: HttpRequest) -> list[tuple[str, str, str]]:
    """Return what the address asks for and no filter knows: its name, the value, what is known."""
    return [
        (name, value[:_SHOWN], ", ".join(known))
        for name, known in _CHOICES
        for value in request.GET.getlist(name)
        if value and value not in known
    ]


def _row(entry: QueueEntry, user: User) -> dict[str, Any]:
    held = leases.is_held(entry)
    return {
        "entry": entry,
        "tone": "warn" if entry.dropped else STATE_TONES[entry.state],
        "state": "dropped" if entry.dropped else entry.get_state_display(),
        "band": band(entry.risk),
        "held": held,
        "mine": held and entry.holder_id == user.pk,
    }


@require_POST
@login_required
def take_next(request: HttpRequest) -> HttpResponse:
    """Lease the next definition and go there."""
    assert isinstance(request.user, User)  # login_required
    return redirect(leases.next_address(request.user, request))


@require_POST
@login_required
def keep_filter(request: HttpRequest) -> HttpResponse:
    """Keep the filters that the form carries under a name."""
    assert isinstance(request.user, User)  # login_required
    text = request.POST.get("queue", "")
    here = reverse("reviews:queue") + QueueFilter.from_text(text).query()
    try:
        saved = save_filter(request.user, request.POST.get("name", ""), text)
    except BadFilter as bad:
        context = {
            "error": str(bad),
            "name": request.POST.get("name", ""),
            "queue": text,
            "back": here,
        }
        return render(request, "reviews/filter.html", context, status=422)
    return done(request, here, f"The filter is kept as “{saved.name}”.")


@require_POST
@login_required
def drop_filter(request: HttpRequest, filter_id: int) -> HttpResponse:
    """Forget a kept filter."""
    assert isinstance(request.user, User)  # login_required
    own = SavedFilter.objects.filter(person=request.user)
    saved = get_visible_or_404(own, pk=filter_id)
    forget_filter(request.user, saved)
    return done(request, reverse("reviews:queue"), f"“{saved.name}” is forgotten.")
