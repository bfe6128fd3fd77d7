"""What no page can make sense of is refused before it reaches one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.core.exceptions import BadRequest
from django.http import HttpRequest, HttpResponse


class NoNullCharactersMiddleware:
    """Refuses addresses and fields with the character U+0000: PostgreSQL cannot hold it, SQLite silently does."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_view(
        self, request: HttpRequest, view: Callable[..., Any], args: Any, kwargs: Any
    ) -> None:
        if "\0" in request.path:
            raise BadRequest("The address contains a null character.")
        for name, values in (*request.GET.lists(), *request.POST.lists()):
            if "\0" in name or any("\0" in value for value in values):
                raise BadRequest(
                    f"{name.replace(chr(0), '')}: contains a null character."
                )
