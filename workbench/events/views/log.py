"""The event log: who did what, when, why. Every filter is in the URL."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from workbench.access.models import User
from workbench.events.acts import links_of
from workbench.events.selectors import (
    BROKEN,
    Filters,
    acts_with_more,
    event_facets,
    last_verification,
    visible_events,
)
from workbench.events.telling import act, data_of
from workbench.ui.paging import page_by_key

SIZE = 50


@require_safe
def event_log(request: HttpRequest) -> HttpResponse:
    user = request.user
    assert isinstance(user, User)
    filters = Filters.read(request.GET)
    page = page_by_key(
        filters.apply(visible_events(user)), request, ("-number",), size=SIZE
    )
    acts = acts_with_more(user, page.rows)
    verification = last_verification()
    context = {
        "filters": filters,
        "page": page,
        "rows": [
            # pairs, not a mapping: a template would take a key called "items" for the method
            (
                event,
                act(event),
                list(data_of(event).items()),
                acts.get(event.correlation),
            )
            for event in page.rows
        ],
        "others": [
            (key, value)
            for key, values in request.GET.lists()
            for value in values
            if key not in ("since", "until", "after", "before")
        ],
        "facets": event_facets(user, filters),
        "act_links": links_of(user, filters.correlation, page.rows),
        "verification": verification,
        "verified": verification is not None and verification.verb != BROKEN,
        "checked": data_of(verification) if verification else {},
    }
    return render(
        request, "events/list.html", context, status=400 if filters.problems else 200
    )
