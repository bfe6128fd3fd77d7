"""A definition beside the source item that it translates."""

from __future__ import annotations

import json
from dataclasses import dataclass

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from curation.instances.models import (
    Definition,
    Item,
    Link,
    LinkGap,
    Placement,
    Translation,
)
from curation.instances.selectors.counterparts import counterparts
from curation.instances.selectors.definitions import (
    DefinitionFilter,
    beside,
    neighbours,
    placement_of,
    rejected_links,
    standing_links_of,
)
from curation.instances.views.pages import InstancePage, instance_page
from curation.instances.views.panes import FileSide, lean_side, source_side
from workbench.access.rights import get_visible_or_404
from workbench.code.cache import highlighted
from workbench.code.diff import compare, show
from workbench.code.diff_view import DiffView, view_diff
from workbench.code.pane import Pane
from workbench.ui.markdown import rendered

# Lines of a definition that stay open around a change: nearly always all of it.
_AROUND_CHANGES = 60


@dataclass(frozen=True)
class SourcePane:
    """The left side: the item, the file it is in, and the pane; or the reason in words why there is none."""

    link: Link | None
    side: FileSide | None
    pane: Pane | None
    why_not: str


@require_safe
@login_required
def definition(request: HttpRequest, slug: str, definition_id: int) -> HttpResponse:
    """Source left, Lean right; what it uses and what uses it beside them."""
    page = instance_page(request, slug, "definitions")
    found = get_visible_or_404(page.instance.definitions.all(), pk=definition_id)
    placement = placement_of(found)
    links = standing_links_of([found.pk]).get(found.pk, [])
    wanted = DefinitionFilter.from_query(request.GET)
    before, after = beside(placement, wanted)
    side = lean_side(placement.revision, found.path)
    against = _version(found, request.GET.get("against", ""))
    return render(
        request,
        "instances/definition.html",
        page.context(
            definition=found,
            placement=placement,
            translation=placement.translation,
            lean=side,
            lean_pane=None
            if against
            else side.around(placement.line_start, placement.line_end),
            against=against,
            diff=_diff(against, placement.translation) if against else None,
            links=links,
            gap=_gap(placement),
            source=_source_pane(
                page, placement, _chosen(links, request.GET.get("item", ""))
            ),
            neighbours=neighbours(placement),
            walk=_walk(request),
            filtered=bool(wanted.conditions()),
            rejected=rejected_links(found),
            before=before,
            after=after,
            versions=list(
                found.translations.select_related("author")
                .defer("text")
                .order_by("-number")[:20]
            ),
            names=json.dumps(counterparts(page.revision, found, links)),
            words=rendered(placement.translation.doc),
            removed=not placement.revision.is_current,
        ),
    )


def _gap(placement: Placement) -> LinkGap | None:
    """Return why the machine found no link for this definition, if it found none."""
    gaps = LinkGap.objects.filter(
        definition=placement.definition_id, source=placement.revision.source_id
    )
    return gaps.prefetch_related("candidates").first()


def _walk(request: HttpRequest) -> str:
    """Return the filters of the list that the reader came from, as a query string for the next definition."""
    kept = request.GET.copy()
    for key in ("item", "against", "after", "before"):
        kept.pop(key, None)
    return f"?{kept.urlencode()}" if kept else ""


def _version(definition: Definition, number: str) -> Translation | None:
    if not (number.isascii() and number.isdigit() and len(number) < 9):
        return None
    return definition.translations.filter(number=int(number)).first()


def _diff(old: Translation, new: Translation) -> DiffView:
    """Return every line of both texts: a definition is short enough to be read whole."""
    before, after = f"{old.text}\n", f"{new.text}\n"  # kept without its last line end
    return view_diff(
        show(compare(before, after), context=1000),
        label=new.definition.lean_name,
        old=highlighted(before, "lean4"),
        new=highlighted(after, "lean4"),
    )


def _chosen(links: list[Link], item: str) -> Link | None:
    return next(
        (link for link in links if str(link.item_id) == item),
        links[0] if links else None,
    )


def _source_pane(
    page: InstancePage, placement: Placement, link: Link | None
) -> SourcePane:
    source = placement.revision.source
    if source is None or source.snapshot_id is None:
        return SourcePane(
            None, None, None, "The source files of this instance were not given."
        )
    if link is None:
        return SourcePane(
            None, None, None, "No source item is linked to this definition."
        )
    if link.item.source_id != source.pk:
        return SourcePane(
            link,
            None,
            None,
            "The linked item belongs to another version of the source.",
        )
    side = source_side(placement.revision, link.item.path)
    return SourcePane(
        link,
        side,
        side.around(link.item.line_start, link.item.line_end),
        "",
    )


@require_safe
@login_required
def candidates(request: HttpRequest, slug: str, definition_id: int) -> HttpResponse:
    """Source items whose name holds the words asked for: what a person can link by hand."""
    page = instance_page(request, slug, "definitions")
    found = get_visible_or_404(page.instance.definitions.all(), pk=definition_id)
    words = request.GET.get("words", "").strip()
    items = Item.objects.none()
    if page.revision.source_id is not None:
        items = Item.objects.filter(
            source=page.revision.source_id, qualified_name__icontains=words
        )
    return render(
        request,
        "instances/candidates.html",
        page.context(
            definition=found,
            items=items.order_by("is_test", "path", "line_start")[:20],
            words=words,
        ),
    )
