"""The top bar. Apps add their entry at start-up; the order is by `order`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from django.http import HttpRequest
from django.urls import reverse

from workbench.registry import Registry


@dataclass(frozen=True)
class Entry:
    """One place of the top bar. It is the current one on every address below its own.

    `count`, when given, returns the number behind the word (None: no number; text such as "999+" where counting on
    is too dear); it is asked on every page, so it must cost one cheap query. `shown` decides whether this person
    sees the entry at all.
    """

    name: str
    url_name: str
    order: int = 50
    count: Callable[[HttpRequest], int | str | None] | None = None
    shown: Callable[[HttpRequest], bool] | None = None


@dataclass(frozen=True)
class Place:
    """An entry as one request sees it."""

    name: str
    url: str
    current: bool
    count: int | str | None


navigation: Registry[Entry] = Registry("navigation entries")


def places(request: HttpRequest) -> list[Place]:
    """Return the entries that the person behind `request` sees, the current one marked."""
    found = []
    for entry in navigation:
        if entry.shown is not None and not entry.shown(request):
            continue
        url = reverse(entry.url_name)
        current = request.path == url or (url != "/" and request.path.startswith(url))
        found.append(
            Place(
                entry.name, url, current, entry.count(request) if entry.count else None
            )
        )
    return found
