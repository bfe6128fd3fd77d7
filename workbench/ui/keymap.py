"""The key map: the one place that says which key does what. `?` shows it, `static/ui/keys.js` obeys it.

A key presses what carries it: an element with `data-key="a"` is clicked (a link, button or `<summary>`) or
focused (a field). Keys with a meaning of their own name it in `action`. Apps add the keys of their pages at
start-up; two meanings of one key in one scope stop the start.
"""

from __future__ import annotations

from dataclasses import dataclass
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

    @property
    def name(self) -> str:
        return f"{self.scope}: {self.keys}"

    @property
    def strokes(self) -> list[str]:
        """The keys to press, one after the other."""
        return self.keys.split(" ")


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


def scopes() -> list[tuple[str, list[Key]]]:
    """Return the keys by scope, scopes in the order of their first key."""
    grouped: dict[str, list[Key]] = {}
    for key in keymap:
        grouped.setdefault(key.scope, []).append(key)
    return list(grouped.items())


def for_script() -> list[dict[str, Any]]:
    """Return the key map as keys.js reads it: a list of {keys, action, scope, words, url}."""
    listed = []
    for key in keymap:
        try:
            url = reverse(key.url_name) if key.url_name else ""
        except NoReverseMatch:  # a page that this installation does not have
            continue
        listed.append(
            {
                "keys": key.keys,
                "action": key.action,
                "scope": key.scope,
                "words": key.words,
                "url": url,
            }
        )
    return listed
