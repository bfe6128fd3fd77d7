"""Requests that are too long: refused before they are kept anywhere, with or without a stated length."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

import pytest

from workbench.body_limit import LimitedBodies, Message, Receive, Scope, Send


def answers(
    pieces: list[bytes], headers: Mapping[bytes, bytes]
) -> tuple[int, list[str], int]:
    """Send a request in `pieces` to an application that reads all of it; return status, what it heard, bytes it got."""
    heard: list[str] = []
    got = 0
    sent: list[Message] = []

    async def application(scope: Scope, receive: Receive, send: Send) -> None:
        nonlocal got
        more = True
        while more:
            message = await receive()
            heard.append(message["type"])
            if message["type"] == "http.disconnect":
                return
            got += len(message["body"])
            more = message["more_body"]
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"fine"})

    async def receive() -> Message:
        body = pieces.pop(0)
        return {"type": "http.request", "body": body, "more_body": bool(pieces)}

    async def send(message: Message) -> None:
        sent.append(message)

    scope: dict[str, Any] = {"type": "http", "headers": list(headers.items())}
    asyncio.run(LimitedBodies(application, 10)(scope, receive, send))
    assert [message["type"] for message in sent] == [
        "http.response.start",
        "http.response.body",
    ]
    return sent[0]["status"], heard, got


def test_a_request_that_fits_arrives_whole() -> None:
    assert answers([b"12345", b"67890"], {b"content-length": b"10"}) == (
        200,
        ["http.request", "http.request"],
        10,
    )


def test_one_that_says_that_it_is_longer_is_not_read() -> None:
    assert answers([b"x" * 11], {b"content-length": b"11"}) == (413, [], 0)


@pytest.mark.parametrize("headers", [{}, {b"content-length": b"3"}])
def test_one_that_turns_out_longer_is_cut_off(headers: dict[bytes, bytes]) -> None:
    pieces = [b"123456", b"78901", b"more"]
    assert answers(pieces, headers) == (413, ["http.request", "http.disconnect"], 6)
