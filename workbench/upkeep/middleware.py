"""A page that found no room on the disk says so."""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse

from workbench.ui.views.errors import no_room
from workbench.upkeep.disk import NoRoom


class NoRoomMiddleware:
    """Answers `NoRoom` with its words and what was typed, as status 507."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_exception(
        self, request: HttpRequest, exception: Exception
    ) -> HttpResponse | None:
        return no_room(request, exception) if isinstance(exception, NoRoom) else None
