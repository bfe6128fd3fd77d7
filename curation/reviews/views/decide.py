"""The forms of the decision bar: approve, send back, skip, take back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_POST

from curation.instances.models import Definition
from curation.reviews.actions.approve_translation import approve_translation
from curation.reviews.actions.assign_request import CannotWrite, assign_request
from curation.reviews.actions.request_retranslation import request_retranslation
from curation.reviews.actions.skip_definition import skip_definition
from curation.reviews.actions.withdraw_request import withdraw_request
from curation.reviews.actions.withdraw_review import withdraw_review
from curation.reviews.deciding import (
    BadWords,
    NoReview,
    OwnWork,
    RequestClosed,
    StaleTranslation,
)
from curation.reviews.leases import next_address
from curation.reviews.models import Retranslation, Review, Thread
from curation.reviews.selectors.since_read import changes_since_read
from curation.reviews.views.answers import (
    go,
    number_of,
    page_of,
    person,
    refuse,
    visible_definition,
    with_undo,
)
from curation.reviews.views.differences import difference
from workbench.access.models import User
from workbench.access.rights import get_visible_or_404
from workbench.numbers import whole_numbers
from workbench.ui.answers import safe_next

_TEMPLATE = "reviews/decision.html"
APPROVE, SEND_BACK, SKIP = "approve", "send_back", "skip"


@require_POST
@login_required
def approve(request: HttpRequest, slug: str, definition_id: int) -> HttpResponse:
    """Approve what was read; on to the next definition."""
    definition = visible_definition(request, slug, definition_id)

    def act() -> tuple[Review, str]:
        review = approve_translation(
            person(request),
            definition,
            number=number_of(request, "number"),
            read_hash=request.POST.get("read_hash", ""),
        )
        return review, f"{definition} is approved by you."

    return _decide(request, definition, APPROVE, act)


@require_POST
@login_required
def send_back(request: HttpRequest, slug: str, definition_id: int) -> HttpResponse:
    """Ask for a new version, with a reason, words and the comments that go along."""
    definition = visible_definition(request, slug, definition_id)

    def act() -> tuple[Review, str]:
        reason = request.POST.get("reason", "")
        if reason not in dict(Review.REASONS):
            raise BadWords("Choose what is wrong.")
        wanted = whole_numbers(request.POST.getlist("thread"))
        threads = list(Thread.objects.filter(definition=definition, pk__in=wanted))
        asked = request_retranslation(
            person(request),
            definition,
            number=number_of(request, "number"),
            read_hash=request.POST.get("read_hash", ""),
            reason=reason,
            words=request.POST.get("words", ""),
            threads=threads,
        )
        return asked.review, f"{definition} is sent back."

    return _decide(request, definition, SEND_BACK, act)


@require_POST
@login_required
def skip(request: HttpRequest, slug: str, definition_id: int) -> HttpResponse:
    """Leave the definition to the second pool, and say why."""
    definition = visible_definition(request, slug, definition_id)

    def act() -> tuple[Review, str]:
        review = skip_definition(
            person(request),
            definition,
            number=number_of(request, "number"),
            words=request.POST.get("words", ""),
        )
        return review, f"{definition} is skipped."

    return _decide(request, definition, SKIP, act)


def _decide(
    request: HttpRequest,
    definition: Definition,
    decision: str,
    act: Callable[[], tuple[Review, str]],
) -> HttpResponse:
    """Answer a decision: on to the next definition, or the page that says why not, with what was typed."""
    try:
        review, words = act()
    except StaleTranslation as stale:
        number, read_hash = number_of(request, "number"), request.POST.get("read_hash")
        since = changes_since_read(definition, number, read_hash or "")
        return _refused(
            request,
            definition,
            decision,
            409,
            current=stale.current,
            since=since,
            diff=difference(
                since.old.text,
                since.new.text,
                definition.lean_name,
                stale.current.line_start if stale.current else 1,
            )
            if since is not None and since.text_changed
            else None,
            words=str(stale),
        )
    except (OwnWork, NoReview, BadWords) as refused:
        return _refused(request, definition, decision, 422, error=str(refused))
    told = with_undo(request, definition, review.correlation, words)
    return go(request, next_address(person(request), request), told)


def _refused(
    request: HttpRequest,
    definition: Definition,
    decision: str,
    status: int,
    **context: Any,
) -> HttpResponse:
    fields = {key: request.POST.get(key, "") for key in ("words", "reason")}
    return refuse(
        request,
        _TEMPLATE,
        definition,
        status,
        decision=decision,
        typed=fields,
        threads=request.POST.getlist("thread"),
        number=request.POST.get("number", ""),
        read_hash=request.POST.get("read_hash", ""),
        reasons=Review.REASONS,
        **context,
    )


@require_POST
@login_required
def withdraw(
    request: HttpRequest, slug: str, definition_id: int, review_id: int
) -> HttpResponse:
    """Take a decision back."""
    definition = visible_definition(request, slug, definition_id)
    review = get_visible_or_404(definition.reviews.all(), pk=review_id)
    reason = request.POST.get("words", "").strip()[:500]
    withdraw_review(person(request), review, reason=reason)
    return _back(request, definition, "The decision is taken back.")


@require_POST
@login_required
def withdraw_asked(
    request: HttpRequest, slug: str, definition_id: int, request_id: int
) -> HttpResponse:
    """Take a request for a new version back."""
    definition = visible_definition(request, slug, definition_id)
    asked = get_visible_or_404(definition.retranslations.all(), pk=request_id)
    reason = request.POST.get("words", "").strip()[:500]
    try:
        withdraw_request(person(request), asked, reason=reason)
    except RequestClosed as closed:
        return _back(request, definition, str(closed))
    return _back(request, definition, "The request is withdrawn.")


@require_POST
@login_required
def assign_asked(
    request: HttpRequest, slug: str, definition_id: int, request_id: int
) -> HttpResponse:
    """Give a request to somebody by name; an empty name gives it to nobody."""
    definition = visible_definition(request, slug, definition_id)
    asked = get_visible_or_404(
        Retranslation.objects.filter(definition=definition), pk=request_id
    )
    name = request.POST.get("assignee", "").strip()
    assignee = User.objects.filter(username=name, is_active=True).first()
    if name and assignee is None:
        return _back(request, definition, f"Nobody is called {name[:150]}.")
    try:
        assign_request(person(request), asked, assignee)
    except (RequestClosed, CannotWrite) as refused:
        return _back(request, definition, str(refused))
    who = assignee.display_name if assignee else "nobody"
    return _back(request, definition, f"The request is given to {who}.")


def _back(request: HttpRequest, definition: Definition, words: str) -> HttpResponse:
    return go(request, safe_next(request, page_of(definition, "decisions")), words)
