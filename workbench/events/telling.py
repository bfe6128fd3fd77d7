"""Events as sentences. "translation.approved" tells itself; verbs that need other words add them at start-up."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.html import conditional_escape, format_html
from django.utils.safestring import SafeString, mark_safe

from workbench.access.objects import url_of
from workbench.events.models import Event
from workbench.registry import Registry


@dataclass(frozen=True)
class Telling:
    """The words of one verb, after the actor. `{object}` is the thing, linked; other braces are keys of the data.

    `Telling("role.given", "gave {person} the role {role} in {object}")`. A number is told with its noun by
    `{runs:run}`: "1 run", "3 runs".
    """

    name: str
    words: str
    order: int = 50


tellings: Registry[Telling] = Registry("tellings of events")


class _Data(dict[str, Any]):
    def __missing__(self, key: str) -> _Counted:
        return _Counted("–")


def tell(event: Event) -> SafeString:
    """Return the sentence of `event` without its time: actor, act, object."""
    return format_html("<b>{}</b> {}", event.actor_name, act(event))


def act(event: Event) -> SafeString:
    """Return the sentence of `event` without the actor."""
    url = url_of(event.object_kind, event.object_id)
    thing = (
        format_html('<a href="{}">{}</a>', url, event.object_name)
        if url
        else format_html("{}", event.object_name)
    )
    known = tellings.get(event.verb)
    if known is not None:
        data = _Data(
            {key: _plain(value) for key, value in data_of(event).items()}, object=thing
        )
        return format_html_map(known.words, data)
    subject, _, done = event.verb.partition(".")
    return format_html(
        "{} {} {}",
        (done or subject).replace("_", " "),
        subject.replace("_", " ") if done else "",
        thing,
    )


def data_of(event: Event) -> dict[str, Any]:
    """Return the data of `event` as a mapping."""
    data = json.loads(event.data)
    return data if isinstance(data, dict) else {}


def format_html_map(words: str, data: Mapping[str, Any]) -> SafeString:
    """Return `words` with the values of `data` in its braces, each escaped unless it is safe already."""
    escaped = _Data(
        {key: _Counted(conditional_escape(value)) for key, value in data.items()}
    )
    return mark_safe(words.format_map(escaped))  # noqa: S308  # the words are ours, the values escaped


class _Counted(str):
    """A value that `{…:noun}` tells with its noun."""

    __slots__ = ()

    def __format__(self, noun: str) -> str:
        if not noun:
            return str(self)
        return f"{self} {noun}" if self == "1" else f"{self} {noun}s"


def _plain(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return str(value)
