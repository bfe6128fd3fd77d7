"""What the review loop adds to the frame: navigation, keys, home, instance pages, and how its events are told."""

from __future__ import annotations


def register() -> None:
    """Add everything. Called once, when the app starts."""
