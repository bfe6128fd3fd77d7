"""The tick “read” of a definition: for oneself, until its meaning changes."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_POST

from curation.reviews.actions.look import Outdated, tick_read
from curation.reviews.models import Look
from curation.reviews.views.reading import reading
from curation.reviews.views.review import walk
from workbench.ui.answers import done, is_htmx


@require_POST
@login_required
def tick(request: HttpRequest, slug: str, definition_id: int) -> HttpResponse:
    """Tick the definition as read, or take the tick away."""
    here = reading(request, slug, definition_id)
    on = request.POST.get("ticked") == "1"
    words = "Marked as read." if on else "No longer marked as read."
    try:
        tick_read(
            here.user, here.placement, request.POST.get("read_hash", ""), ticked=on
        )
    except Outdated:
        words = "It changed while you read: nothing was ticked. Look at what is new."
    if not is_htmx(request):
        return done(
            request,
            here.page.url("definition", here.definition.pk) + walk(request),
            words,
        )
    fresh = Look.objects.filter(definition=here.definition, person=here.user).first()
    ticked = bool(
        fresh and fresh.ticked_hash and fresh.ticked_hash == here.placement.meaning_hash
    )
    return render(
        request,
        "reviews/tick.html",
        {
            "definition": here.definition,
            "instance": here.page.instance,
            "placement": here.placement,
            "ticked": ticked,
            "keys": here.has_keys,
            "say": words,
        },
    )
