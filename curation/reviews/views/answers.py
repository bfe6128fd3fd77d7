"""What the views of decisions and of versions share: the definition as this person may see it, and where to go next."""

from __future__ import annotations

import json
import uuid
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.html import format_html
from django.utils.http import urlencode
from django_htmx.http import HttpResponseClientRedirect

from curation.instances.models import Definition, Instance, Translation
from curation.reviews.undo import act_of
from workbench.access.models import User
from workbench.access.rights import get_visible_or_404
from workbench.numbers import whole_number
from workbench.ui.answers import is_htmx

_LONGEST_NUMBER = 9


def visible_definition(
    request: HttpRequest, slug: str, definition_id: int
) -> Definition:
    """Return the definition. Raises `Http404` for what the person may not see."""
    definitions = Definition.objects.filter(
        instance__in=Instance.objects.visible_to(request.user), instance__slug=slug
    )
    return get_visible_or_404(
        definitions.select_related("instance__team"), pk=definition_id
    )


def person(request: HttpRequest) -> User:
    """Return who is logged in."""
    assert isinstance(request.user, User)  # login_required
    return request.user


def number_of(request: HttpRequest, field: str) -> int:
    """Return the whole number that the form brought in `field`, 0 where it is none."""
    return whole_number(request.POST.get(field, ""), digits=_LONGEST_NUMBER) or 0


def version(definition: Definition, number: int) -> Translation | None:
    """Return version `number` of `definition`, None where it never had one."""
    return definition.translations.filter(number=number).first()


def page_of(definition: Definition, fragment: str = "") -> str:
    """Return the address of the page on which `definition` is reviewed."""
    address = reverse(
        "instances:definition", args=[definition.instance.slug, definition.pk]
    )
    return f"{address}#{fragment}" if fragment else address


def go(request: HttpRequest, to: str, words: str) -> HttpResponse:
    """Answer what worked: say `words` on the page `to`."""
    messages.success(request, words)
    return HttpResponseClientRedirect(to) if is_htmx(request) else redirect(to)


def with_undo(
    request: HttpRequest,
    definition: Definition,
    correlation: uuid.UUID | None,
    words: str,
) -> str:
    """Return `words` with the way back: `z` undoes the act and returns to the page of `definition`.

    The button names the events that it undoes, as the preview of the act does: if anything else can be undone by then,
    nothing is. An act on several definitions is undone from its own page. Without a script it is a link to that page.
    """
    if correlation is None:
        return words
    steps = act_of(person(request), correlation).possible
    kind, own = Definition._meta.model_name, str(definition.pk)
    events = [step.event for step in steps]
    if not events or any(
        (one.object_kind, one.object_id) != (kind, own) for one in events
    ):
        return words
    queue = request.POST.get("queue", "")
    back = page_of(definition) + (f"?{urlencode({'queue': queue})}" if queue else "")
    sent = {"event": [one.number for one in events], "next": back}
    return format_html(
        '{} <a class="btn small" href="{}" hx-post="{}" hx-vals="{}" hx-swap="none" data-key="z">Undo <kbd>z</kbd></a>',
        words,
        reverse("reviews:act", args=[correlation]),
        reverse("reviews:undo", args=[correlation]),
        json.dumps(sent),
    )


def refuse(
    request: HttpRequest,
    template: str,
    definition: Definition,
    status: int,
    **context: Any,
) -> HttpResponse:
    """Answer what did not work with the page `template`, on which everything that was typed stands again."""
    return render(
        request,
        template,
        {
            "definition": definition,
            "instance": definition.instance,
            "page_url": page_of(definition),
            "queue": request.POST.get("queue", ""),
            "next": request.POST.get("next", ""),
            **context,
        },
        status=status,
    )
