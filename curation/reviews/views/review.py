"""The page on which a definition is read beside the source item that it translates, and decided on."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from django.contrib.auth.decorators import login_required
from django.db.models import Min
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from curation.instances.contributions import panels_beside
from curation.instances.models import (
    Link,
    LinkGap,
    Placement,
    Translation,
)
from curation.instances.selectors.counterparts import counterparts, near_links
from curation.instances.selectors.definitions import (
    DefinitionFilter,
    beside,
    neighbours,
    standing_links_of,
)
from curation.instances.views.panes import (
    FileSide,
    asked_window,
    definition_targets,
    lean_side,
)
from curation.reviews.models import Draft, QueueEntry, Retranslation
from curation.reviews.selectors.at_stake import at_stake
from curation.reviews.selectors.page import (
    drops_of,
    state_of,
    states_around,
    steps_of,
    versions_of,
)
from curation.reviews.selectors.threads import (
    LEAN,
    SOURCE,
    Page,
    conversations,
    threads_of,
)
from curation.reviews.views.reading import EDIT, Reading, bar_context, reading
from curation.reviews.views.sides import (
    chosen_link,
    difference,
    links_of_now,
    source_pane,
    spoken,
)
from workbench.access.roles import MAINTAIN, REVIEW
from workbench.ui.answers import is_htmx
from workbench.ui.markdown import rendered

_OWN_KEYS = ("item", "against", "view", "after", "before", "lines", "within", "side", "line")  # fmt: skip


@require_safe
@login_required
def review(request: HttpRequest, slug: str, definition_id: int) -> HttpResponse:
    """Source left, Lean right, the decision above; under htmx with `lines` and `within`, a gap of the difference."""
    here = reading(request, slug, definition_id)
    window = asked_window(request)
    if window is not None and here.against is not None and is_htmx(request):
        first = _first_line(here.against)
        piece = difference(here.placement, here.against, first, {}, window)
        return render(request, "instances/diff_piece.html", {"diff": piece})
    return render(request, "reviews/review.html", _context(here))


def _context(here: Reading) -> dict[str, Any]:
    found, placement = here.definition, here.placement
    wanted = DefinitionFilter.from_query(here.request.GET)
    links = standing_links_of([found.pk], rejected=True).get(found.pk, [])
    standing = links_of_now(placement, [link for link in links if not link.rejected])
    before, after = beside(placement, wanted)
    entry = QueueEntry.objects.filter(definition=found).select_related("holder").first()
    around = neighbours(placement)
    state = state_of(entry, here.reviews, removed=here.removed)
    near = near_links(placement.revision, found)
    versions = versions_of(found, placement.translation_id, state, here.reviews)
    return {
        **here.page.context(),
        **_sides(here, standing, around, near),
        **bar_context(here, entry),
        "here": here,
        "before": before,
        "after": after,
        "walk": walk(here.request),
        "filtered": bool(wanted.conditions()),
        "links": standing,
        "rejected": sorted(
            (link for link in links if link.rejected), key=lambda link: -link.pk
        ),
        "gap": _gap(placement) if not standing else None,
        "neighbours": around,
        "contributed": panels_beside(placement, here.page.rights),
        "states": states_around([*around.uses, *around.used_by, *around.specs]),
        "names": json.dumps(counterparts(found, standing, near)),
        "words": rendered(placement.translation.doc),
        "drops": drops_of(here.reviews, here.user) if state.tone != "ok" else [],
        "versions": versions,
        "steps": steps_of(
            [version.translation.number for version in versions],
            placement.translation.number,
            here.against.number if here.against else None,
            [
                one.translation.number
                for one in here.reviews
                if one.reviewer == here.user
            ],
        ),
    }


def _sides(
    here: Reading, links: list[Link], around: Any, near: list[Link]
) -> dict[str, Any]:
    """Return both panes with the threads on their lines, and those that stand on no line of this page."""
    placement = here.placement
    lean = _without_itself(lean_side(placement.revision, here.definition.path), here)
    source = source_pane(
        placement, chosen_link(links, here.request.GET.get("item", ""))
    )
    item = source.link.item if source.link and source.side else None
    text = source.side.text if source.side else ""
    found = conversations(
        threads_of(here.definition), Page(placement, item, text), here.user
    )
    context = {
        "definition": here.definition,
        "instance": here.page.instance,
        "may_review": REVIEW in here.page.rights,
        "may_hide": MAINTAIN in here.page.rights,
        "user": here.user,
    }
    rows = [*around.used_by, *around.specs, *around.uses]
    named = [(row.definition.lean_name, row.definition_id) for row in rows]
    targets = definition_targets(placement.revision, named)
    targets.pop(here.definition.short_name, None)
    source_targets = definition_targets(
        placement.revision,
        [
            (link.item.name, link.definition_id)
            for link in near
            if link.relation != "about"
        ],
    )
    notes = spoken(here.request, found, LEAN, targets, **context)
    old = here.older
    lean_pane = diff = None
    if old is not None:
        diff = difference(placement, old, _first_line(old), notes.notes)
    elif here.view != EDIT:
        lean_pane = lean.around(placement.line_start, placement.line_end, notes)
    beside_source = spoken(here.request, found, SOURCE, source_targets, **context)
    inline = here.view != EDIT
    loose = [
        each
        for each in found
        if each.place is None or (each.side == LEAN and not inline)
    ]
    return {
        "lean": lean,
        "lean_pane": lean_pane,
        "diff": diff,
        "source": source,
        "source_pane": source.pane(beside_source),
        "threads": found,
        "loose": loose,
        "standing": [each for each in found if each not in loose],
        "open_threads": [each for each in found if not each.resolved],
        **context,
        **(_editing(here) if here.view == EDIT else {}),
    }  # fmt: skip


def _without_itself(side: FileSide, here: Reading) -> FileSide:
    """Return `side` without the link from the definition's name to the page one is on."""
    own = here.definition.short_name
    return replace(
        side, targets={name: url for name, url in side.targets.items() if name != own}
    )


def _editing(here: Reading) -> dict[str, Any]:
    """Return the text to go on with: the draft of this person where there is one, else the text as it is."""
    draft = Draft.objects.filter(
        definition=here.definition, author=here.user
    ).select_related("base").first()  # fmt: skip
    current = here.placement.translation
    if draft is not None and draft.text.rstrip("\n") == current.text.rstrip("\n"):
        draft = None  # it says what is there already, though it was begun before
    return {
        "draft": draft,
        "text": draft.text if draft else current.text,
        "base": draft.base if draft else current,
        "base_is_old": bool(draft and draft.base_id != current.pk),
        "answering": Retranslation.objects.filter(
            definition=here.definition, state=Retranslation.OPEN
        ).select_related("review__reviewer"),
        "stake": at_stake(here.placement),
    }


def _first_line(translation: Translation) -> int:
    """Return the line of its file at which a translation began. One query."""
    rows = Placement.objects.filter(translation=translation)
    return rows.aggregate(first=Min("line_start"))["first"] or 1


def _gap(placement: Placement) -> LinkGap | None:
    """Return why the machine found no link for this definition, if it found none."""
    gaps = LinkGap.objects.filter(
        definition=placement.definition_id, source=placement.revision.source_id
    )
    return gaps.prefetch_related("candidates").first()


def walk(request: HttpRequest) -> str:
    """Return the filters of the list that the reader came from, as a query string for the next definition."""
    kept = request.GET.copy()
    for key in _OWN_KEYS:
        kept.pop(key, None)
    return f"?{kept.urlencode()}" if kept else ""
