"""What one was told: the list, the way to each thing, and what one does not want to hear."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from curation.instances.models import Instance
from curation.reviews.actions.inbox import mark_read, mute, unmute
from curation.reviews.models import Mute, Notification
from curation.reviews.selectors.inbox import (
    ALL,
    UNREAD,
    groups_of,
    heads,
    kind_facet,
    mutes_of,
    notifications_of,
    same_cause,
)
from workbench.access.models import User
from workbench.access.rights import get_visible_or_404
from workbench.numbers import whole_number, whole_numbers
from workbench.ui.answers import done
from workbench.ui.paging import page_by_key
from workbench.ui.parts import Tab

SIZE = 50
_MOST_IDS = 1_000


def _person(request: HttpRequest) -> User:
    assert isinstance(request.user, User)  # login_required
    return request.user


@require_safe
@login_required
def inbox(request: HttpRequest) -> HttpResponse:
    """What this person was told, newest first, one row for what belongs together. The URL holds the filters."""
    user = _person(request)
    show = ALL if request.GET.get("show") == ALL else UNREAD
    kinds = request.GET.getlist("kind")
    rows = notifications_of(user, show=show, kinds=kinds)
    page = page_by_key(heads(rows), request, ("-pk",), size=SIZE)
    here = reverse("inbox:list")
    return render(
        request,
        "reviews/inbox.html",
        {
            "page": page,
            "groups": groups_of(rows, page.rows),
            "show": show,
            "facets": [kind_facet(user, show, kinds)],
            "tabs": [
                Tab("Unread", here, current=show == UNREAD),
                Tab("All", f"{here}?show={ALL}", current=show == ALL),
            ],
            "newest": page.rows[0].pk if page.rows else 0,
            "mutes": mutes_of(user),
            "kinds": Notification.KINDS,
            "instances": Instance.objects.visible_to(user).order_by("slug")[:500],
        },
    )


@require_safe
@login_required
def open_one(request: HttpRequest, notification_id: int) -> HttpResponse:
    """Lead to what a notification tells of; it and its like on that definition, of the same cause, are read then."""
    user = _person(request)
    rows = notifications_of(user, show=ALL).select_related("instance")
    one = get_visible_or_404(rows, pk=notification_id)
    alike = same_cause(notifications_of(user), one).filter(
        definition=one.definition_id, pk__lte=one.pk
    )
    mark_read(user, alike.values_list("pk", flat=True))
    if one.definition_id is None:
        return redirect("instances:detail", one.instance.slug)
    page = reverse("instances:definition", args=[one.instance.slug, one.definition_id])
    view = "?view=now" if one.anchor.startswith("thread-") else ""
    return redirect(f"{page}{view}#{one.anchor}" if one.anchor else page)


@require_POST
@login_required
def read(request: HttpRequest) -> HttpResponse:
    """Mark some as read (`ids`, with commas), or all that the list showed (`up_to`)."""
    ids = whole_numbers(request.POST.get("ids", "").split(",")[:_MOST_IDS])
    up_to = whole_number(request.POST.get("up_to", ""))
    if up_to is not None:
        number = mark_read(_person(request), up_to=up_to)
    else:
        number = mark_read(_person(request), ids)
    return done(request, reverse("inbox:list"), f"Marked as read: {number}.")


@require_POST
@login_required
def mute_one(request: HttpRequest) -> HttpResponse:
    """Hear no more of a kind, of an instance, or of both."""
    user = _person(request)
    slug, kind = request.POST.get("instance", ""), request.POST.get("kind", "")
    instance = None
    if slug:
        instance = get_visible_or_404(Instance.objects.visible_to(user), slug=slug)
    mute(user, kind if kind in dict(Notification.KINDS) else "", instance)
    return done(request, reverse("inbox:list"), "You will hear no more of that.")


@require_POST
@login_required
def unmute_one(request: HttpRequest, mute_id: int) -> HttpResponse:
    """Hear of it again."""
    user = _person(request)
    unmute(user, get_visible_or_404(Mute.objects.filter(person=user), pk=mute_id))
    return done(request, reverse("inbox:list"), "You will hear of it again.")
