"""The list of instances."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_safe

from curation.instances.registration import address_of
from curation.instances.selectors.instances import (
    InstanceFilter,
    current_revisions,
    instance_facets,
)
from workbench.access.rights import teams_with
from workbench.access.roles import CURATE
from workbench.ui.paging import count_up_to, page_by_key


@require_safe
@login_required
def instance_list(request: HttpRequest) -> HttpResponse:
    """Instances with facets and search; the URL holds the state."""
    wanted = InstanceFilter.from_query(request.GET)
    rows = current_revisions(request.user, wanted)
    return render(
        request,
        "instances/list.html",
        {
            "page": page_by_key(rows, request, ("instance__slug",), size=50),
            "total": count_up_to(rows, 5000),
            "facets": instance_facets(request.user, wanted),
            "words": wanted.words,
            "filtered": bool(wanted.conditions()),
            "may_import": teams_with(request.user, CURATE).exists(),
        },
    )


@require_safe
@login_required
def by_id(request: HttpRequest, kind: str, pk: str) -> HttpResponse:
    """Go to the page of an object that the record knows by its id."""
    address = address_of(kind, int(pk), request.user)
    if address is None:
        raise Http404(
            "There is nothing here under that name, or it is not yours to see."
        )
    return redirect(address)
