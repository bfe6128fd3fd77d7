"""The one WebSocket address, and who may open it: somebody logged in, from a page of this site."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any
from urllib.parse import urlsplit

from channels.auth import AuthMiddlewareStack
from channels.security.websocket import WebsocketDenier
from django.conf import settings
from django.http.request import split_domain_port, validate_host

from workbench.live.consumer import LiveConsumer

PATH = "/live/"
Asgi = Callable[[Any, Any, Any], Awaitable[Any]]


class Sockets:
    """Refuse sockets elsewhere than at `PATH`, and those that a page of another origin opens: cookies come along.

    The origin must be the host that was asked, port included, or one of WORKBENCH_TRUSTED_ORIGINS. A client that
    sends no origin is no browser, and is refused as well.
    """

    def __init__(self, application: Any) -> None:
        self._application: Asgi = application
        self._denier: Any = WebsocketDenier.as_asgi()

    async def __call__(self, scope: Any, receive: Any, send: Any) -> Any:
        headers = {
            name: value.decode("latin1") for name, value in scope.get("headers", [])
        }
        allowed = scope["path"] == PATH and same_origin(
            headers.get(b"origin", ""), headers.get(b"host", "")
        )
        return await (self._application if allowed else self._denier)(
            scope, receive, send
        )


def same_origin(origin: str, host: str) -> bool:
    """Return whether a page of `origin` may open a socket to `host`."""
    if not validate_host(split_domain_port(host)[0], settings.ALLOWED_HOSTS):
        return False
    try:
        parts = urlsplit(origin)
    except ValueError:
        return False
    if parts.scheme not in ("http", "https"):
        return False
    return (
        parts.netloc.lower() == host.lower()
        or origin.lower() in settings.CSRF_TRUSTED_ORIGINS
    )


consumer: Any = LiveConsumer.as_asgi()
sockets = Sockets(AuthMiddlewareStack(consumer))
