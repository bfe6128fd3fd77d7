"""Regions of the home and operations pages. Apps add theirs at start-up."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest
from django.template.loader import render_to_string
from django.utils.safestring import SafeString

from workbench.registry import Registry

MAIN, RAIL = "main", "rail"


@dataclass(frozen=True)
class Panel:
    """One region of a page that several apps fill.

    `context` gathers what `template` needs (one `{% panel %}`); None leaves the region out, but one with nothing
    in it should stay and say what would be here. `place` is `MAIN` or `RAIL`.
    """

    name: str
    template: str
    context: Callable[[HttpRequest], dict[str, Any] | None]
    order: int = 50
    place: str = MAIN


@dataclass(frozen=True)
class Fact:
    """One fact below the title, such as "3 jobs running": a tone ("" for plain text) and words, or None."""

    name: str
    state: Callable[[HttpRequest], tuple[str, str] | None]
    order: int = 50


home_panels: Registry[Panel] = Registry("home panels")
home_facts: Registry[Fact] = Registry("home facts")
operations_panels: Registry[Panel] = Registry("operations panels")


def rendered(
    panels: Iterable[Panel], request: HttpRequest, place: str
) -> list[SafeString]:
    """Return the HTML of those `panels` that are in `place`, in order."""
    found = []
    for panel in panels:
        context = panel.context(request) if panel.place == place else None
        if context is not None:
            found.append(render_to_string(panel.template, context, request))
    return found


def stated(facts: Iterable[Fact], request: HttpRequest) -> list[tuple[str, str]]:
    """Return the (tone, words) pairs of `facts`, in order."""
    said = (fact.state(request) for fact in facts)
    return [fact for fact in said if fact is not None]
