"""The key map: the one place that says which key does what. `?` shows it, `static/ui/keys.js` obeys it.

A key presses what carries it: an element with `data-key="a"` is clicked (a link, button or `<summary>`) or
focused (a field). Keys with a meaning of their own name it in `action`. Apps add the keys of their pages at
start-up; two meanings of one key in one scope stop the start. A person may move keys (`User.keys`): `bound` says what
is in force for them.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from django.urls import NoReverseMatch, reverse

from workbench.registry import Registry

EVERYWHERE, LISTS, GO = "Everywhere", "Lists", "Go to"


@dataclass(frozen=True)
class Key:
    """One key, or two in a row ("g h"). `action` is `press`, `go` or one that keys.js knows.

    `scope` groups keys in the dialog. A `press` key is listed on pages that have an element with its `data-key`.
    """

    keys: str
    words: str
    scope: str = EVERYWHERE
    action: str = "press"
    url_name: str = ""
    order: int = 50

    carries: str = ""

    @property
    def name(self) -> str:
        """The name that does not change when a person moves the key."""
        return f"{self.scope}: {self.default}"

    @property
    def default(self) -> str:
        """The strokes of the key map, which are also the `data-key` of what it presses."""
        return self.carries or self.keys

    @property
    def strokes(self) -> list[str]:
        """The keys to press, one after the other; none where the person took the key away."""
        return self.keys.split(" ") if self.keys else []


keymap: Registry[Key] = Registry("keys")
keymap.add(
    Key("?", "show the keys", action="keys", order=10),
    Key("/", "search", action="search", order=11),
    Key("Escape", "close what is open, leave the field", action="close", order=12),
    Key("j", "next row", LISTS, "next", order=20),
    Key("k", "previous row", LISTS, "previous", order=21),
    Key("o", "open (also Enter)", LISTS, "open", order=22),
    Key("x", "select the row", LISTS, "select", order=23),
    Key(".", "what can be done with the selected rows", LISTS, "bulk", order=24),
    Key("g h", "home", GO, "go", "home", order=30),
    Key("g e", "events", GO, "go", "events:list", order=36),
    Key("g p", "preferences", GO, "go", "preferences", order=37),
    Key("g o", "operations", GO, "go", "operations", order=38),
)


WHEREVER = (EVERYWHERE, LISTS, GO)
"""Scopes whose keys mean something on every page."""

FIXED = ("close",)
"""Actions whose key nobody moves: Escape leaves a field everywhere."""


class Refused(ValueError):
    """Keys cannot be moved so. `problems` says by the name of each key why, in words."""

    def __init__(self, problems: dict[str, str]) -> None:
        super().__init__("; ".join(problems.values()))
        self.problems = problems


def bound(moved: Mapping[str, Any] | None = None) -> list[Key]:
    """Return the keys in force for who moved `moved` (name → strokes, "" for no key). Unknown names are overlooked."""
    if not isinstance(moved, Mapping) or not moved:
        return list(keymap)
    return [
        replace(key, keys=str(moved[key.name]), carries=key.keys)
        if key.name in moved
        else key
        for key in keymap
    ]


def moved_keys(wanted: Mapping[str, str]) -> dict[str, str]:
    """Return what of `wanted` (name → strokes) differs from the key map, to be kept. Raises `Refused`.

    A key is one character, or two with a blank between; "" takes it away. Two keys may not meet on one page, and no
    key may be the beginning of another.
    """
    moved: dict[str, str] = {}
    problems: dict[str, str] = {}
    for key in keymap:
        strokes = " ".join(str(wanted.get(key.name, key.keys)).split())
        if key.action in FIXED or strokes == key.keys:
            continue
        if problem := _malformed(strokes):
            problems[key.name] = problem
        else:
            moved[key.name] = strokes
    problems |= _meetings(moved)
    if problems:
        raise Refused(problems)
    return moved


def _malformed(strokes: str) -> str:
    parts = strokes.split(" ") if strokes else []
    if len(parts) > 2 or any(len(part) != 1 for part in parts):
        return f"“{strokes[:20]}”: expected one character, or two with a blank between."
    if any(unicodedata.category(part)[0] == "C" for part in parts):
        return "A control character cannot be a key here."
    return ""


def _meetings(moved: Mapping[str, str]) -> dict[str, str]:
    """Return for keys that were moved onto others which one is in the way."""
    problems: dict[str, str] = {}
    in_force = [key for key in bound(moved) if key.keys]
    for key in in_force:
        if key.name not in moved:
            continue
        for other in in_force:
            apart = key.scope != other.scope and not (
                key.scope in WHEREVER or other.scope in WHEREVER
            )
            if other.name == key.name or apart:
                continue
            if key.keys == other.keys and key.default != other.default:
                problems.setdefault(
                    key.name,
                    f"“{key.keys}” is already “{other.words}” ({other.scope}).",
                )
            elif _begins(key.keys, other.keys) or _begins(other.keys, key.keys):
                problems.setdefault(
                    key.name,
                    f"“{key.keys}” and “{other.keys}” ({other.words}) begin alike.",
                )
    return problems


def _begins(short: str, long: str) -> bool:
    return len(short) < len(long) and long.startswith(f"{short} ")


def scopes(moved: Mapping[str, Any] | None = None) -> list[tuple[str, list[Key]]]:
    """Return the keys by scope as they are in force, scopes in the order of their first key."""
    grouped: dict[str, list[Key]] = {}
    for key in bound(moved):
        grouped.setdefault(key.scope, []).append(key)
    return list(grouped.items())


def for_script(moved: Mapping[str, Any] | None = None) -> list[dict[str, Any]]:
    """Return the key map as keys.js reads it: a list of {keys, carries, action, scope, words, url}.

    `keys` are the strokes in force, `carries` the `data-key` of what they press.
    """
    listed = []
    for key in bound(moved):
        try:
            url = reverse(key.url_name) if key.url_name else ""
        except NoReverseMatch:  # a page that this installation does not have
            continue
        listed.append(
            {
                "keys": key.keys,
                "carries": key.default,
                "action": key.action,
                "scope": key.scope,
                "words": key.words,
                "url": url,
            }
        )
    return listed
