"""One id for everything that one request, job or command did."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_current: ContextVar[uuid.UUID | None] = ContextVar("correlation", default=None)


def current_correlation() -> uuid.UUID:
    """Return the id of the running request, job or command; a fresh one outside of any."""
    return _current.get() or uuid.uuid4()


@contextmanager
def correlated(correlation: uuid.UUID | None = None) -> Iterator[uuid.UUID]:
    """Give everything inside one correlation id: `correlation`, or the one in force, or a fresh one."""
    chosen = correlation or _current.get() or uuid.uuid4()
    token = _current.set(chosen)
    try:
        yield chosen
    finally:
        _current.reset(token)
