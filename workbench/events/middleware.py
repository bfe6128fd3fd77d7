"""Give each request its correlation id."""

from __future__ import annotations

import uuid
from collections.abc import Callable

from django.http import HttpRequest, HttpResponse

from workbench.events.correlation import correlated


class CorrelationMiddleware:
    """All events of one request share an id, which the response also carries as `X-Correlation-Id`."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        with correlated(uuid.uuid4()) as correlation:
            response = self.get_response(request)
        response["X-Correlation-Id"] = str(correlation)
        return response
