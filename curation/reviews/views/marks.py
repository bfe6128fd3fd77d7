"""The marks of other tools in an instance's files: what they say, where they disagree, and the way to take ticks over."""

from __future__ import annotations

from urllib.parse import urlencode

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from curation.instances.views.pages import instance_page
from curation.reviews.file_marks import marks_of
from workbench.access.roles import REVIEW
from workbench.bulk import MOST


@require_safe
@login_required
def marks(request: HttpRequest, slug: str) -> HttpResponse:
    """Every mark of the current revision, those that cannot be read or disagree first."""
    page = instance_page(request, slug, "marks")
    rows = marks_of(page.revision)
    # Two marks of one definition are one thing to approve.
    ticked = list(dict.fromkeys(one.mark.definition_id for one in rows if one.waits))
    items = [("item", one) for one in ticked[:MOST]]
    query = urlencode([("verb", "approve"), *items])
    return render(
        request,
        "reviews/marks.html",
        page.context(
            marks=rows,
            unreadable=sum(one.unreadable for one in rows),
            disagree=sum(one.disagrees for one in rows),
            agree=sum(not one.conflict for one in rows),
            ticked=len(ticked),
            taken=len(items),
            take_over=f"{reverse('reviews:bulk')}?{query}",
            may_review=REVIEW in page.rights,
        ),
    )
