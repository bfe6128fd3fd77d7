"""How a view answers: the page or its fragment, words for the live region, text that must not be lost."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_POST
from django_htmx.http import trigger_client_event

from workbench.ui.parts import Kept

_NEVER_KEPT = ("csrfmiddlewaretoken",)
_SECRET = ("password", "secret", "token")
_LONG = 60
CARRIED = frozenset({
    "answers", "assignee", "base", "defaults", "drop", "event", "filter", "form_key", "hidden", "ids", "instance",
    "item", "key", "kind", "mark", "member", "next", "number", "person", "query", "queue", "read_hash", "reject",
    "resolved", "revision", "role", "save", "seen", "side", "team", "theme", "thread", "ticked", "until", "up_to",
    "verb", "version", "was",
})  # fmt: skip
"""Names that forms use for hidden fields and for buttons alone: nobody types into them."""


def is_htmx(request: HttpRequest) -> bool:
    """Return whether htmx asked, and so expects a fragment."""
    return request.headers.get("HX-Request") == "true"


def announce(response: HttpResponse, words: str) -> HttpResponse:
    """Have the live region of the page say `words` when htmx has put `response` in place. Returns `response`."""
    trigger_client_event(response, "announce", {"value": words})
    return response


def done(request: HttpRequest, to: str, words: str) -> HttpResponse:
    """Answer a plain form that worked: go to `to` and say `words` there."""
    messages.success(request, words)
    return redirect(to)


def takes_forms_of(
    page: Callable[..., str],
) -> Callable[[Callable[..., HttpResponse]], Callable[..., HttpResponse]]:
    """Decorate a view that forms are sent to: who merely asks for its address gets to the page with the form.

    A refused form is answered at that address, and people reload it, copy it, and have it followed live. `page` returns
    the address of the page for the arguments of the view.
    """

    def around(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
        @wraps(view)
        def answer(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
            if request.method not in ("GET", "HEAD"):
                return require_POST(view)(request, *args, **kwargs)
            query = request.META.get("QUERY_STRING", "")
            return redirect(page(*args, **kwargs) + (f"?{query}" if query else ""))

        return answer

    return around


def safe_next(request: HttpRequest, otherwise: str) -> str:
    """Return the `next` address that came with the request when it is on this site, else `otherwise`."""
    wanted = request.POST.get("next") or request.GET.get("next") or ""
    if url_has_allowed_host_and_scheme(
        wanted, {request.get_host()}, require_https=request.is_secure()
    ):
        return wanted
    return otherwise


def kept_text(request: HttpRequest) -> list[Kept]:
    """Return what the form brought, so that an error page can give it back. Never passwords, tokens or files."""
    if request.method != "POST":
        return []
    try:
        lists = list(request.POST.lists())
    except Exception:  # a body that cannot be read holds nothing to give back
        return []
    return [
        Kept(
            name,
            value,
            long="\n" in value or len(value) > _LONG,
            carried=name in CARRIED,
        )
        for name, values in lists
        if name not in _NEVER_KEPT and not any(word in name.lower() for word in _SECRET)
        for value in values
    ]
