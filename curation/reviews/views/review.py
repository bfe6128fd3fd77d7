"""The review page: a definition beside the source item that it translates, and the decision on it."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import Any

from django.contrib.auth.decorators import login_required
from django.db.models import Min
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.functional import cached_property
from django.views.decorators.http import require_POST, require_safe

from curation.instances.contributions import panels_beside
from curation.instances.models import (
    Definition,
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
    placement_of,
    standing_links_of,
)
from curation.instances.views.pages import InstancePage, instance_page
from curation.instances.views.panes import (
    FileSide,
    asked_window,
    definition_targets,
    lean_side,
)
from curation.reviews.actions.look import Outdated, record_look, tick_read
from curation.reviews.deciding import wrote
from curation.reviews.models import Draft, Look, QueueEntry, Retranslation, Review
from curation.reviews.selectors.at_stake import at_stake
from curation.reviews.selectors.decisions import bound_now, decisions_of
from curation.reviews.selectors.page import (
    answered_by,
    drops_of,
    reviews_of,
    state_of,
    states_around,
    steps_of,
    versions_of,
)
from curation.reviews.selectors.since import ChangedUse, changed_uses
from curation.reviews.selectors.threads import (
    LEAN,
    SOURCE,
    Page,
    conversations,
    threads_of,
)
from curation.reviews.views.lease import lease_context
from curation.reviews.views.sides import (
    chosen_link,
    difference,
    links_of_now,
    source_pane,
    spoken,
)
from workbench.access.models import User
from workbench.access.rights import get_visible_or_404
from workbench.access.roles import MAINTAIN, REVIEW
from workbench.numbers import whole_number
from workbench.ui.answers import done, is_htmx
from workbench.ui.markdown import rendered

NOW, SINCE, EDIT = "now", "since", "edit"
_OWN_KEYS = ("item", "against", "view", "after", "before", "lines", "within", "side", "line")  # fmt: skip


@dataclass(frozen=True)
class Reading:
    """One person reading one definition: what is placed, what they saw before, what the address asks for."""

    request: HttpRequest
    user: User
    page: InstancePage
    definition: Definition
    placement: Placement
    look: Look | None
    reviews: list[Review]

    @property
    def removed(self) -> bool:
        return not self.placement.revision.is_current

    @property
    def may_review(self) -> bool:
        return REVIEW in self.page.rights and not self.removed

    @property
    def ticked(self) -> bool:
        return (
            self.look is not None
            and self.look.ticked_hash != ""
            and self.look.ticked_hash == self.placement.meaning_hash
        )

    @property
    def decided(self) -> bool:
        """Whether this person has decided on just what is here."""
        return any(
            review.reviewer_id == self.user.pk
            and review.standing
            and review.read_hash == self.placement.meaning_hash
            for review in self.reviews
        )

    @property
    def approved(self) -> bool:
        """Whether this person's approval of just what is here counts."""
        return any(
            review.reviewer_id == self.user.pk
            and review.standing
            and review.decision == Review.APPROVE
            for review in self.reviews
        )

    @cached_property
    def against(self) -> Translation | None:
        """The older version that the address names."""
        number = whole_number(self.request.GET.get("against", ""), digits=8)
        if number is None:
            return None
        return self.definition.translations.filter(number=number).first()

    @cached_property
    def view(self) -> str:
        """Which view of the Lean side: the one asked for; else what is new, while it was neither ticked nor decided."""
        if self.against is not None:
            return "against"
        asked = self.request.GET.get("view", "")
        if asked == EDIT and not self.page.may_curate:
            asked = NOW
        if asked in (NOW, SINCE, EDIT):
            return asked
        new = self.look is not None and self.look.before_id is not None
        return SINCE if new and not self.ticked and not self.decided else NOW

    @property
    def has_keys(self) -> bool:
        """Whether letters decide and tick here. Not beside an open editor: a word typed beside it would decide."""
        return self.view != EDIT

    @cached_property
    def changed_uses(self) -> list[ChangedUse]:
        """What it uses and what is not as it was when this person looked before."""
        if self.look is None or self.look.before_revision is None:
            return []
        return changed_uses(self.placement, self.look.before_revision)

    @property
    def older(self) -> Translation | None:
        """The text to compare with in this view; None where it is the same, or there is none."""
        if self.view == "against":
            return self.against
        if self.view != SINCE or self.look is None:
            return None
        before = self.look.before
        return before if before and before.pk != self.placement.translation_id else None


def reading(request: HttpRequest, slug: str, definition_id: int) -> Reading:
    """Return what the page is about. Raises `Http404` for what the person may not see."""
    assert isinstance(request.user, User)  # login_required
    page = instance_page(request, slug, "definitions")
    found = get_visible_or_404(page.instance.definitions.all(), pk=definition_id)
    found.instance = page.instance
    placement = placement_of(found)
    placement.definition = found
    if placement.revision_id == page.revision.pk:
        placement.revision = page.revision
    look = (
        record_look(request.user, placement)
        if request.method == "GET" and not is_htmx(request)
        else None
    )
    return Reading(
        request, request.user, page, found, placement, look, reviews_of(found)
    )


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
        "walk": _walk(here.request),
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


def bar_context(here: Reading, entry: QueueEntry | None) -> dict[str, Any]:
    """Return what the decision bar says, which live updates say anew."""
    translation = here.placement.translation
    # Live updates say which lease the page has, so that they can tell what became of it.
    token = here.request.GET.get("token", "") if is_htmx(here.request) else ""
    asked = _open_request(here.reviews)
    decisions = decisions_of(here.reviews)
    return {
        "definition": here.definition,
        "placement": here.placement,
        "translation": translation,
        "removed": here.removed,
        "may_review": here.may_review and here.placement.kind != Definition.HARNESS,
        "may_edit": here.page.may_curate and not here.removed,
        "own_work": wrote(here.user, translation),
        "own_approval": here.approved,
        "state": state_of(entry, here.reviews, removed=here.removed),
        "decisions": decisions,
        "bound": bound_now(decisions),
        "reasons": Review.REASONS,
        **lease_context(here.request, entry, token),
        "request_open": asked,
        "asked_by_me": asked is not None and asked.reviewer_id == here.user.pk,
        "answered": answered_by(translation, here.reviews),
    }


def _open_request(reviews: list[Review]) -> Review | None:
    """Return the request for re-translation that stands, if any."""
    return next(
        (one for one in reviews if one.standing and one.decision == Review.RETRANSLATE),
        None,
    )


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


def _walk(request: HttpRequest) -> str:
    """Return the filters of the list that the reader came from, as a query string for the next definition."""
    kept = request.GET.copy()
    for key in _OWN_KEYS:
        kept.pop(key, None)
    return f"?{kept.urlencode()}" if kept else ""


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
        return done(request, _back(request, here), words)
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


def _back(request: HttpRequest, here: Reading) -> str:
    return here.page.url("definition", here.definition.pk) + _walk(request)
