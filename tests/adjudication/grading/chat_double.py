"""A double for an OpenAI-compatible endpoint: a real HTTP server on this machine that answers what a test tells it to."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Handle = Callable[[BaseHTTPRequestHandler], None]


@dataclass
class ChatDouble:
    """`requests` are path, headers and document of everything that it was asked."""

    url: str
    requests: list[tuple[str, dict[str, str], Any]] = field(default_factory=list)


def answer(
    body: bytes, *, status: int = 200, headers: dict[str, str] | None = None
) -> Handle:
    """Return what answers every request with `body`."""

    def handle(request: BaseHTTPRequestHandler) -> None:
        request.send_response(status)
        for name, value in (headers or {}).items():
            request.send_header(name, value)
        request.send_header("Content-Length", str(len(body)))
        request.end_headers()
        request.wfile.write(body)

    return handle


def message(content: Any) -> bytes:
    """Return a response for chat completions whose message is `content`."""
    choice = {"index": 0, "message": {"role": "assistant", "content": content}}
    return json.dumps({"object": "chat.completion", "choices": [choice]}).encode()


def verdict(opinion: str, reasoning: str = "because") -> bytes:
    """Return the response of a model that does as it is told."""
    return message(json.dumps({"verdict": opinion, "reasoning": reasoning}))


@contextmanager
def chat_double(handle: Handle) -> Iterator[ChatDouble]:
    """Run the server while the block runs."""
    double = ChatDouble("")

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            size = int(self.headers.get("Content-Length", "0"))
            document = json.loads(self.rfile.read(size))
            double.requests.append((self.path, dict(self.headers), document))
            try:
                handle(self)
            except (BrokenPipeError, ConnectionResetError):
                pass  # whoever asked has gone, which is what some tests are about

        def log_message(self, format: str, *args: Any) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    double.url = f"http://127.0.0.1:{server.server_address[1]}/v1/chat/completions"
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield double
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
