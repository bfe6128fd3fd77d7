"""Whole numbers as addresses and forms bring them: text that anybody may have written."""

from __future__ import annotations

from collections.abc import Iterable

ID_DIGITS = 18
"""So many digits fit into every column of ids; a database would answer a longer number with an error."""


def whole_number(text: str, *, digits: int = ID_DIGITS) -> int | None:
    """Return the number that `text` writes in ASCII digits, None for anything else and for more than `digits` of them."""
    sane = text.isascii() and text.isdigit() and len(text) <= digits
    return int(text) if sane else None


def whole_numbers(texts: Iterable[str]) -> list[int]:
    """Return the numbers among `texts`, in their order; what is none is left out."""
    return [number for text in texts if (number := whole_number(text)) is not None]
