"""What the review loop adds to the frame: navigation, keys, home, instance pages, and how its events are told."""

from __future__ import annotations

from workbench.events.telling import Telling, tellings
from workbench.ui.keymap import GO, Key, keymap
from workbench.ui.navigation import Entry, navigation

QUEUE = "Queue"


def register() -> None:
    """Add everything. Called once, when the app starts."""
    _register_queue()


def _register_queue() -> None:
    navigation.add(Entry("Review", "reviews:queue", order=30))
    keymap.add(
        Key("g q", "review queue", GO, "go", "reviews:queue", order=32),
        Key("n", "next for me", QUEUE, order=45),
    )
    tellings.add(
        Telling("lease.taken", "took {object} to read"),
        Telling("lease.given_back", "gave {object} back"),
    )
