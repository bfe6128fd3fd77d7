"""What happened to an instance, and what one revision changed."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from curation.instances.models import Revision
from curation.instances.selectors.changes import changes_of
from curation.instances.views.pages import instance_page
from workbench.access.rights import get_visible_or_404
from workbench.events.models import Event
from workbench.events.telling import tell
from workbench.ui.paging import page_by_key


@require_safe
@login_required
def history(request: HttpRequest, slug: str) -> HttpResponse:
    """Revisions and events, newest first."""
    page = instance_page(request, slug, "history")
    events = Event.objects.filter(instance_id=page.instance.pk)
    about = request.GET.get("definition", "")
    definition = None
    if about.isascii() and about.isdigit():
        definition = get_visible_or_404(page.instance.definitions.all(), pk=int(about))
        events = events.filter(object_kind="definition", object_id=str(definition.pk))
    events_page = page_by_key(events, request, ("-number",), size=50)
    versions = (
        definition.translations.select_related("author").defer("text")
        if definition
        else None
    )
    return render(
        request,
        "instances/history.html",
        page.context(
            events=events_page,
            told=[(event, tell(event)) for event in events_page.rows],
            revisions=page.instance.revisions.select_related(
                "author", "snapshot"
            ).order_by("-number"),
            definition=definition,
            versions=versions,
        ),
    )


@require_safe
@login_required
def revision(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """What revision `number` added, changed and removed, against the one before or `?against=`."""
    page = instance_page(request, slug, "history")
    rows = page.instance.revisions.select_related(
        "author", "snapshot", "source", "parent"
    )
    shown = get_visible_or_404(rows, number=number)
    shown.instance = page.instance
    against = request.GET.get("against", "")
    if against.isascii() and against.isdigit() and len(against) < 9:
        older: Revision | None = get_visible_or_404(rows, number=int(against))
    else:
        older = shown.parent
    return render(
        request,
        "instances/revision.html",
        page.context(
            shown=shown,
            older=older,
            changes=changes_of(shown, older),
            numbers=list(rows.order_by("-number")),
        ),
    )
