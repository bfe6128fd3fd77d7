"""The marks of other tools in an instance's files: what they say, where they disagree, and the way to take ticks over."""

from __future__ import annotations

from urllib.parse import urlencode

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from curation.instances.views.pages import instance_page
from curation.reviews.actions.bulk import MOST
from curation.reviews.models import FileMark, QueueEntry
from workbench.access.roles import REVIEW


@require_safe
@login_required
def marks(request: HttpRequest, slug: str) -> HttpResponse:
    """Every mark of the current revision, those that disagree first."""
    page = instance_page(request, slug, "marks")
    rows = list(
        FileMark.objects.filter(revision=page.revision)
        .select_related("definition__queue_entry")
        .order_by("path", "line")
    )
    rows.sort(key=lambda mark: not mark.conflict)
    ticked = [
        mark.definition_id
        for mark in rows
        if mark.ticked
        and not mark.conflict
        and mark.definition is not None
        and mark.definition.queue_entry.state == QueueEntry.OPEN
    ]
    query = urlencode([("verb", "approve"), *(("item", one) for one in ticked[:MOST])])
    return render(
        request,
        "reviews/marks.html",
        page.context(
            marks=rows,
            conflicts=sum(bool(mark.conflict) for mark in rows),
            ticked=len(ticked[:MOST]),
            take_over=f"{reverse('reviews:bulk')}?{query}",
            may_review=REVIEW in page.rights,
        ),
    )
