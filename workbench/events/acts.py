"""What can be done with one act (all events of one correlation id). Apps add links at start-up."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from workbench.access.models import User
from workbench.events.models import Event
from workbench.registry import Registry


@dataclass(frozen=True)
class ActLink:
    """One way on from an act: the words of the link, its address, and whether it makes sense for these events."""

    name: str
    url: Callable[[uuid.UUID], str]
    shown: Callable[[User, Sequence[Event]], bool]
    order: int = 50


act_links: Registry[ActLink] = Registry("links of acts")


def links_of(
    user: User, correlation: uuid.UUID | None, events: Sequence[Event]
) -> list[tuple[str, str]]:
    """Return (words, address) of what `user` can do with the act, of which `events` are some. No query."""
    if correlation is None:
        return []
    return [
        (link.name, link.url(correlation))
        for link in act_links
        if link.shown(user, events)
    ]
