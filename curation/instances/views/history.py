"""What happened to an instance, and what one revision changed."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from curation.instances.models import Revision
from curation.instances.selectors.changes import changes_of
from curation.instances.views.files import asked_revision
from curation.instances.views.pages import instance_page
from workbench.access.rights import get_visible_or_404
from workbench.code.diff import compare, show
from workbench.content.trees import read_file
from workbench.events.models import Event
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
    versions = (
        definition.translations.select_related("author").defer("text")
        if definition
        else None
    )
    return render(
        request,
        "instances/history.html",
        page.context(
            events=page_by_key(events, request, ("-number",), size=50),
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


@require_safe
@login_required
def file_change(
    request: HttpRequest, slug: str, number: int, path: str
) -> HttpResponse:
    """How one file differs between two revisions."""
    page = instance_page(request, slug, "history")
    rows = page.instance.revisions.select_related("snapshot", "parent__snapshot")
    shown = get_visible_or_404(rows, number=number)
    older = asked_revision(request, page) if "r" in request.GET else shown.parent
    diff = show(compare(_text(older, path), _text(shown, path)))
    return render(
        request,
        "instances/file_change.html",
        page.context(shown=shown, older=older, path=path, diff=diff),
    )


def _text(revision: Revision | None, path: str) -> str:
    data = read_file(revision.snapshot, path) if revision is not None else None
    return (data or b"").decode("utf-8", errors="replace")
