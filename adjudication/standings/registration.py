"""What this app adds to the frame."""

from __future__ import annotations


def register() -> None:
    """Add everything. Called once, when the app starts."""
