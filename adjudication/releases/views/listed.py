"""All releases, those of one set, and the form that freezes the next."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from adjudication.releases.actions.freeze_release import BadRelease, freeze_release
from adjudication.releases.selectors.releases import (
    TONES,
    ReleaseFilter,
    listed_releases,
    next_version,
    release_facets,
)
from adjudication.standings.models import InstanceSet
from adjudication.standings.selectors.visible import visible_boards
from workbench.access.models import User
from workbench.access.rights import allowed, get_visible_or_404, require, teams_with
from workbench.access.roles import MAINTAIN
from workbench.ui.answers import done, takes_forms_of
from workbench.ui.paging import count_up_to, page_by_key


@require_safe
@login_required
def release_list(request: HttpRequest) -> HttpResponse:
    """Releases of all sets that the person sees, newest first."""
    user = request.user
    assert isinstance(user, User)  # login_required
    wanted = ReleaseFilter.from_query(request.GET)
    rows = listed_releases(user, wanted)
    page = page_by_key(rows, request, ("-pk",))
    may = teams_with(user, MAINTAIN)
    context = {
        "page": page,
        "listed": [(TONES[row.state], row) for row in page.rows],
        "total": count_up_to(rows),
        "facets": release_facets(user, wanted),
        "filtered": bool(wanted.conditions()),
        "sets": visible_boards(user).filter(team__in=may).order_by("slug")[:50],
    }
    return render(request, "releases/list.html", context)


def _visible_set(request: HttpRequest, slug: str) -> InstanceSet:
    return get_visible_or_404(visible_boards(request.user), slug=slug)


@require_safe
@login_required
def of_set(request: HttpRequest, slug: str) -> HttpResponse:
    """The releases of a set, and what the next one would hold."""
    found = _visible_set(request, slug)
    return render(request, "releases/of_set.html", _context(request, found))


def _context(request: HttpRequest, found: InstanceSet) -> dict[str, Any]:
    assert isinstance(request.user, User)  # login_required
    rows = listed_releases(request.user, ReleaseFilter(sets=[found.slug]))
    page = page_by_key(rows, request, ("-pk",))
    older = [row.version for row in page.rows[1:]]
    members = found.members.exclude(instance=None).filter(instance__hidden=False)
    return {
        "set": found,
        "page": page,
        "listed": [
            (TONES[row.state], row, older[place] if place < len(older) else "")
            for place, row in enumerate(page.rows)
        ],
        "total": count_up_to(rows),
        "instances": members.count(),
        "reported_only": found.members.filter(instance=None).count(),
        "runs": found.cells.exclude(run=None).count(),
        "may": allowed(request.user, MAINTAIN, found),
        "version": next_version(found),
        "typed": {},
    }


@takes_forms_of(lambda slug: reverse("releases:of_set", args=[slug]))
@login_required
def freeze(request: HttpRequest, slug: str) -> HttpResponse:
    """Freeze the set as it is now; 422 with the text kept where that cannot be."""
    user = request.user
    assert isinstance(user, User)  # login_required
    found = _visible_set(request, slug)
    require(user, MAINTAIN, found)
    given = request.POST
    try:
        release = freeze_release(
            user,
            found,
            given.get("version", "").replace("\0", "").strip(),
            note=given.get("note", ""),
        )
    except BadRelease as error:
        context = _context(request, found) | {
            "typed": given.dict(),
            "why": str(error),
        }
        return render(request, "releases/of_set.html", context, status=422)
    return done(request, release.get_absolute_url(), f"{release} is frozen.")
