"""Report a spec that is wrong, without a grading."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from adjudication.audits.actions.claim_finding import (
    claim_finding,
    may_claim,
)
from adjudication.audits.actions.settle_finding import Incomplete
from adjudication.audits.models import Closure
from adjudication.audits.selectors.claims import claimable_instances
from curation.instances.models import Definition, Instance, Placement
from workbench.access.models import User
from workbench.access.rights import AccessDenied, get_visible_or_404
from workbench.numbers import whole_numbers
from workbench.ui.answers import done

_MOST_INSTANCES, _MOST_SPECS = 200, 1_000


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def claim(request: HttpRequest) -> HttpResponse:
    """The form, and what it sends. Without an instance, the choice of one. 422 keeps what was typed."""
    user = request.user
    assert isinstance(user, User)  # login_required
    given = request.POST if request.method == "POST" else request.GET
    slug = given.get("instance", "").replace("\0", "")
    if not slug:
        instances = claimable_instances(user)[:_MOST_INSTANCES]
        return render(request, "audits/claim.html", {"instances": instances})
    instance = get_visible_or_404(
        Instance.objects.visible_to(user).select_related("team"), slug=slug
    )
    if not may_claim(user, instance):
        raise AccessDenied("You may not report specs of this instance.")
    if request.method != "POST":
        return _form(request, instance, "", 200)
    try:
        made = claim_finding(
            user,
            instance,
            whole_numbers(given.getlist("spec")),
            route=given.get("route", ""),
            words=given.get("words", ""),
            proof=given.get("proof", ""),
        )
    except Incomplete as error:
        return _form(request, instance, str(error), 422)
    address = reverse("audits:finding", args=[instance.slug, made.finding.number])
    return done(request, address, "Reported. It waits in the queue, as not proved.")


def _form(
    request: HttpRequest, instance: Instance, why: str, status: int
) -> HttpResponse:
    given = request.POST if request.method == "POST" else request.GET
    placed = Placement.objects.filter(
        revision__instance=instance, revision__is_current=True, kind=Definition.SPEC
    )
    rows = placed.select_related("definition", "revision").order_by("position")
    context = {
        "instance": instance,
        "specs": rows[:_MOST_SPECS],
        "chosen": set(whole_numbers(given.getlist("spec"))),
        "routes": Closure.ROUTES,
        "typed": given,
        "why": why,
    }
    return render(request, "audits/claim.html", context, status=status)
