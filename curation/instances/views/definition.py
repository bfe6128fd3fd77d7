"""What can be linked to a definition by hand. The page of a definition is curation/reviews/views/review.py."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from curation.instances.models import Item
from curation.instances.views.pages import instance_page
from workbench.access.rights import get_visible_or_404


@require_safe
@login_required
def candidates(request: HttpRequest, slug: str, definition_id: int) -> HttpResponse:
    """Source items whose name holds the words asked for: what a person can link by hand."""
    page = instance_page(request, slug, "definitions")
    found = get_visible_or_404(page.instance.definitions.all(), pk=definition_id)
    words = request.GET.get("words", "").strip()
    items = Item.objects.none()
    if page.revision.source_id is not None:
        items = Item.objects.filter(
            source=page.revision.source_id, qualified_name__icontains=words
        )
    return render(
        request,
        "instances/candidates.html",
        page.context(
            definition=found,
            items=items.order_by("is_test", "path", "line_start")[:20],
            words=words,
        ),
    )
