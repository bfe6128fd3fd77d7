"""What happened to an instance, and what one revision changed."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from curation.instances.models import Definition, Revision
from curation.instances.selectors.changes import changes_of
from curation.instances.views.pages import InstancePage, instance_page
from workbench.access.models import User
from workbench.access.rights import get_visible_or_404
from workbench.events.acts import told_acts
from workbench.events.models import Event
from workbench.events.selectors import Filters, event_facets
from workbench.numbers import whole_number
from workbench.ui.paging import page_by_key

# Who took what to read and gave it back is kept, but hides what was decided: shown to who asks for it.
_IN_PASSING = "lease."


@require_safe
@login_required
def history(request: HttpRequest, slug: str) -> HttpResponse:
    """Revisions and acts, newest first; every filter is in the URL."""
    assert isinstance(request.user, User)  # login_required
    user = request.user
    page = instance_page(request, slug, "history")
    filters = Filters.read(request.GET)
    filters.instance, filters.kind, filters.object_id = page.instance.pk, "", ""
    definition = _asked_definition(request, page)
    if definition is not None:
        filters.kind, filters.object_id = "definition", str(definition.pk)
    events = filters.apply(Event.objects.all())
    if not filters.verbs and filters.correlation is None:
        events = events.exclude(verb__startswith=_IN_PASSING)
    events_page = page_by_key(events, request, ("-number",), size=50)
    facets = event_facets(user, filters)
    context = page.context(
        events=events_page,
        acts=told_acts(user, events_page.rows),
        facets=[one for one in facets if one.key not in ("instance", "kind")],
        filters=filters,
        filtered=any(one.chosen for one in facets if one.key != "instance"),
        revisions=page.instance.revisions.select_related("author", "snapshot").order_by(
            "-number"
        ),
        definition=definition,
        versions=definition.translations.select_related("author").defer("text")
        if definition
        else None,
    )
    status = 400 if filters.problems else 200
    return render(request, "instances/history.html", context, status=status)


def _asked_definition(request: HttpRequest, page: InstancePage) -> Definition | None:
    about = whole_number(request.GET.get("definition", ""))
    if about is None:
        return None
    return get_visible_or_404(page.instance.definitions.all(), pk=about)


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
    against = whole_number(request.GET.get("against", ""), digits=8)
    if against is not None:
        older: Revision | None = get_visible_or_404(rows, number=against)
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
