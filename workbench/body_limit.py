"""No request is longer than what a form may bring: Django would put all of it on the disk before it asks who sends it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Asgi = Callable[[Any, Any, Any], Awaitable[Any]]


class LimitedBodies:
    """Answers 413 to a request of more than `limit` bytes: at once where it says its length, else when it gets there."""

    def __init__(self, application: Asgi, limit: int) -> None:
        self._application = application
        self._limit = limit

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if _length(scope) > self._limit:
            await self._refuse(send)
            return
        taken, refused = 0, False

        async def counted() -> Message:
            nonlocal taken, refused
            message = await receive()
            taken += len(message.get("body", b""))
            if taken <= self._limit:
                return message
            if not refused:
                refused = True
                await self._refuse(send)
            return {"type": "http.disconnect"}

        await self._application(scope, counted, send)

    async def _refuse(self, send: Send) -> None:
        words = f"The request is longer than {self._limit:,} bytes, the most that is taken.\n"
        headers = [
            (b"content-type", b"text/plain; charset=utf-8"),
            (b"content-length", str(len(words)).encode()),
            (b"connection", b"close"),
        ]
        await send({"type": "http.response.start", "status": 413, "headers": headers})
        await send({"type": "http.response.body", "body": words.encode()})


def _length(scope: Scope) -> int:
    for name, value in scope.get("headers", ()):
        if name == b"content-length" and value.isdigit() and len(value) < 19:
            return int(value)
    return 0
