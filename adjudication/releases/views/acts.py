"""What a maintainer does on the page of a release, each a plain form."""

from __future__ import annotations

from collections.abc import Callable

from django.contrib.auth.decorators import login_required
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render
from django.urls import reverse

from adjudication.releases.actions.freeze_release import BadRelease, freeze_again
from adjudication.releases.actions.hold_as_seen import Moved, hold_as_seen
from adjudication.releases.actions.publish_release import (
    publish_release,
    retract_release,
)
from adjudication.releases.actions.request_build import request_build
from adjudication.releases.actions.waive_blocker import waive
from adjudication.releases.models import Release
from adjudication.releases.views.release import page_context, visible_release
from workbench.access.models import User
from workbench.access.rights import require
from workbench.access.roles import MAINTAIN
from workbench.numbers import whole_numbers
from workbench.ui.answers import done, takes_forms_of
from workbench.ui.templatetags.ui import plural


def _waive(user: User, release: Release, given: QueryDict) -> str:
    signed = waive(
        user,
        release,
        given.get("key", "")[:64],
        whole_numbers(given.getlist("revision")),
        given.get("reason", ""),
    )
    return f"Signed for {plural(len(signed), 'instance')}; the release says so."


def _build(user: User, release: Release, given: QueryDict) -> str:
    request_build(user, release)
    return "A worker builds it; the page follows."


def _publish(user: User, release: Release, given: QueryDict) -> str:
    publish_release(user, release)
    return "Published."


def _retract(user: User, release: Release, given: QueryDict) -> str:
    retract_release(user, release, given.get("reason", ""))
    return "Retracted. It can still be downloaded, and says why not to use it."


def _freeze(user: User, release: Release, given: QueryDict) -> str:
    freeze_again(user, release)
    return "Frozen again, with what the set holds now."


_ACTS: dict[str, Callable[[User, Release, QueryDict], str]] = {
    "waive": _waive,
    "build": _build,
    "publish": _publish,
    "retract": _retract,
    "freeze": _freeze,
}
# It decides nothing: built again, the bytes are the same or it fails.
_WITHOUT_MARK = frozenset({"build"})


@takes_forms_of(
    lambda slug, version, act: reverse("releases:detail", args=[slug, version])
)
@login_required
def act(request: HttpRequest, slug: str, version: str, act: str) -> HttpResponse:
    """Do one thing. 409 where the release moved on meanwhile, 422 where it cannot be done; both keep the text."""
    user = request.user
    assert isinstance(user, User)  # login_required
    found = visible_release(request, slug, version)
    do = _ACTS.get(act)
    if do is None:
        raise Http404("Nothing of that name can be done with a release.")
    require(user, MAINTAIN, found.set)
    try:
        with transaction.atomic():
            if act not in _WITHOUT_MARK:
                hold_as_seen(found, request.POST.get("mark", ""))
            words = do(user, found, request.POST)
    except Moved as error:
        return _again(request, slug, version, act, str(error), 409)
    except BadRelease as error:
        return _again(request, slug, version, act, str(error), 422)
    return done(request, found.get_absolute_url(), words)


def _again(
    request: HttpRequest, slug: str, version: str, act: str, why: str, status: int
) -> HttpResponse:
    """Show the page as it is now, with what was typed in its fields."""
    context = page_context(request, visible_release(request, slug, version))
    context |= {
        "typed": request.POST.dict(),
        "ticked": whole_numbers(request.POST.getlist("revision")),
        "acted": act,
        "why": why,
    }
    return render(request, "releases/release.html", context, status=status)
