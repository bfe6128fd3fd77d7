"""What is dear to work out, kept in memory until what it is made of changes."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from django.core.cache import caches

KEPT_SECONDS = 3600
T = TypeVar("T")


def kept(key: str, stamp: object, make: Callable[[], T]) -> T:
    """Return what is kept under `key` if it was made of the same `stamp`; else what `make` returns, and keep that."""
    cache = caches["default"]
    known: tuple[object, T] | None = cache.get(key)
    if known is not None and known[0] == stamp:
        return known[1]
    made = make()
    cache.set(key, (stamp, made), KEPT_SECONDS)
    return made
