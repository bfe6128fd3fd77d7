"""What a page that is open learns of others: state, lease, conversations, and that there is something newer."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from curation.instances.selectors.definitions import standing_links_of
from curation.reviews.models import QueueEntry
from curation.reviews.page_registration import inbox_count
from curation.reviews.selectors.news import stamp_of
from curation.reviews.selectors.threads import Page, conversations, threads_of
from curation.reviews.views.reading import bar_context, reading
from curation.reviews.views.sides import chosen_link, links_of_now, source_pane
from workbench.access.models import User
from workbench.access.roles import MAINTAIN, REVIEW


@require_safe
@login_required
def live(request: HttpRequest, slug: str, definition_id: int) -> HttpResponse:
    """Return the parts of the page that live updates replace, each marked for its place (out of band).

    The text under the reader's eyes is none of them: of another version only a notice tells. 204 where nothing of it
    is new since the answer whose stamp the page brings.
    """
    assert isinstance(request.user, User)  # login_required
    # Taken before anything is read: what happens meanwhile is told the next time.
    shown = "/".join(request.GET.get(key, "") for key in ("version", "hash", "item"))
    stamp = stamp_of(request.user, slug, definition_id, shown)
    if stamp and stamp == request.GET.get("stamp"):
        return HttpResponse(status=204)
    here = reading(request, slug, definition_id)
    entry = (
        QueueEntry.objects.filter(definition=here.definition)
        .select_related("holder")
        .first()
    )
    placement = here.placement
    standing = standing_links_of([here.definition.pk]).get(here.definition.pk, [])
    links = links_of_now(placement, standing)
    chosen = chosen_link(links, request.GET.get("item", ""))
    source = source_pane(placement, chosen)
    page = Page(
        placement,
        source.link.item if source.link and source.side else None,
        source.side.text if source.side else "",
    )
    found = conversations(threads_of(here.definition), page, here.user)
    version = request.GET.get("version", "")
    newer = version != str(placement.translation.number)
    moved = request.GET.get("hash", "") != placement.meaning_hash
    return render(
        request,
        "reviews/live.html",
        {
            "instance": here.page.instance,
            **bar_context(here, entry),
            "threads": [] if newer else found,
            "open_threads": [each for each in found if not each.resolved],
            "may_review": REVIEW in here.page.rights,
            "may_hide": MAINTAIN in here.page.rights,
            "newer": newer,
            "unread": inbox_count(request),
            "moved": moved and not newer,
            "shown": version,
            "stamp": stamp,
        },
    )
