"""One person reading one definition, and what the decision bar says to them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest
from django.utils.functional import cached_property

from curation.instances.models import (
    Definition,
    Placement,
    Translation,
)
from curation.instances.selectors.definitions import (
    placement_of,
)
from curation.instances.views.pages import InstancePage, instance_page
from curation.reviews.actions.look import record_look
from curation.reviews.deciding import wrote
from curation.reviews.models import Look, QueueEntry, Review
from curation.reviews.selectors.decisions import bound_now, decisions_of
from curation.reviews.selectors.page import (
    answered_by,
    reviews_of,
    state_of,
)
from curation.reviews.selectors.since import ChangedUse, changed_uses
from curation.reviews.views.lease import lease_context
from workbench.access.models import User
from workbench.access.rights import get_visible_or_404
from workbench.access.roles import REVIEW
from workbench.numbers import whole_number
from workbench.ui.answers import is_htmx

NOW, SINCE, EDIT = "now", "since", "edit"


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
