"""How many approvals a kind of definition needs: the page of an instance that says so, and the form that changes it."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from curation.instances.views.pages import instance_page
from curation.reviews.actions.set_policy import REVIEWED_KINDS, set_policy
from curation.reviews.selectors.policies import policies
from curation.reviews.views.answers import go, person
from workbench.access.rights import require
from workbench.access.roles import MAINTAIN


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def policy(request: HttpRequest, slug: str) -> HttpResponse:
    """The kinds with what they need; a POST sets one of them."""
    page = instance_page(request, slug, "review-policy")
    error = ""
    if request.method == "POST":
        require(person(request), MAINTAIN, page.instance)
        kind, approvals = request.POST.get("kind", ""), request.POST.get("approvals")
        if kind in REVIEWED_KINDS and approvals in ("0", "1", "2"):
            set_policy(person(request), page.instance, kind, int(approvals))
            words = f"{REVIEWED_KINDS[kind].capitalize()}: {_words(int(approvals))}."
            return go(request, reverse("reviews:policy", args=[slug]), words)
        error = "Choose a kind, and none, one or two approvals."
    return render(
        request,
        "reviews/policy.html",
        page.context(
            policies=policies(page.instance),
            choices=[(number, _words(number)) for number in range(3)],
            may_maintain=MAINTAIN in page.rights,
            error=error,
        ),
        status=422 if error else 200,
    )


def _words(approvals: int) -> str:
    return ("no review", "one approval", "two approvals, of two people")[approvals]
