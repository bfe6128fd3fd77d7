"""What the views of decisions and of versions share: the definition as this person may see it, and where to go next."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django_htmx.http import HttpResponseClientRedirect

from curation.instances.models import Definition, Instance, Translation
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
