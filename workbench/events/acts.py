"""Acts: all events of one correlation id, told as one. What can be done with an act, apps add at start-up."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from django.utils.safestring import SafeString

from workbench.access.models import User
from workbench.events.models import Event
from workbench.events.telling import tell
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


@dataclass(frozen=True)
class ToldAct:
    """Neighbouring events of one act: the one that tells most, the others, and what can be done with it."""

    event: Event
    sentence: SafeString
    others: Sequence[tuple[Event, SafeString]]
    links: Sequence[tuple[str, str]]


def told_acts(user: User, events: Sequence[Event]) -> list[ToldAct]:
    """Return `events` (newest first) with neighbours of one act folded into one. No query.

    What a person did stands for the act, not what the system drew from it.
    """
    groups: list[list[Event]] = []
    for event in events:
        if groups and groups[-1][0].correlation == event.correlation:
            groups[-1].append(event)
        else:
            groups.append([event])
    found = []
    for group in groups:
        first = next((event for event in group if not event.implicit), group[0])
        others = [(event, tell(event)) for event in group if event is not first]
        links = links_of(user, first.correlation, group)
        found.append(ToldAct(first, tell(first), others, links))
    return found
