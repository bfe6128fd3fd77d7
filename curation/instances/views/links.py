"""The source of an instance: what is linked, what is not, and linking by hand."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST, require_safe

from curation.instances.actions.link_item import link_item, unlink_item
from curation.instances.models import Item
from curation.instances.selectors.items import ItemFilter, definitions_of, items_of
from curation.instances.selectors.overview import coverage
from curation.instances.views.pages import instance_page
from workbench.access.models import User
from workbench.access.rights import get_visible_or_404
from workbench.numbers import whole_number
from workbench.ui.paging import count_up_to, page_by_key


@require_safe
@login_required
def links(request: HttpRequest, slug: str) -> HttpResponse:
    """The items of the source, with the definitions that translate them."""
    page = instance_page(request, slug, "source")
    source = page.revision.source
    items = items_of(source)
    wanted = ItemFilter.from_query(request.GET)
    found = wanted.cut(items)
    rows = page_by_key(found, request, ("path", "line_start", "pk"), size=100)
    told = definitions_of(rows.rows)
    return render(
        request,
        "instances/links.html",
        page.context(
            source=source,
            page=rows,
            rows=[(item, told.get(item.pk, [])) for item in rows.rows],
            total=count_up_to(found, 10_000),
            facets=wanted.facets(items),
            coverage=coverage(page.revision),
            words=wanted.words,
        ),
    )


@require_POST
@login_required
def link(request: HttpRequest, slug: str, definition_id: int) -> HttpResponse:
    """Link a definition to an item by hand, or reject a link for good."""
    assert isinstance(request.user, User)  # login_required
    page = instance_page(request, slug, "definitions")
    definition = get_visible_or_404(page.instance.definitions.all(), pk=definition_id)
    items = Item.objects.filter(source__instance=page.instance)
    wanted = whole_number(request.POST.get("item", "")) or 0
    item = get_visible_or_404(items, pk=wanted)
    reason = request.POST.get("reason", "").strip()[:500]
    if request.POST.get("reject"):
        unlink_item(request.user, definition, item, reason=reason)
        messages.success(
            request,
            f"{item} is no counterpart of {definition}; no import will say so again.",
        )
    else:
        link_item(request.user, definition, item, reason=reason)
        messages.success(request, f"{definition} is linked to {item}.")
    return redirect("instances:definition", page.instance.slug, definition.pk)
