"""Tell live pages that something was committed, through Redis where there is one.

PostgreSQL rings by itself (NOTIFY), and on SQLite pages see commits within a tenth of a second. A ring through Redis also
reaches pages whose web process cannot LISTEN, behind a pooler that keeps no sessions. Rings are lost without harm.
"""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from typing import Final

from channels.layers import get_channel_layer
from django.conf import settings
from django.db import transaction

log = logging.getLogger(__name__)
GROUP: Final = "workbench-live"
RINGS_AT_MOST_EVERY_S: Final = 0.1
SILENT_AFTER_FAILURE_S: Final = 5.0


def ring() -> None:
    """Ring when the transaction commits; at most ten times a second, and never in the caller's time."""
    if settings.REDIS_URL:
        transaction.on_commit(_ringer.ring)


class Ringer:
    """A thread that passes rings on, started by the first one."""

    def __init__(self) -> None:
        self._rung = threading.Event()
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None

    def ring(self) -> None:
        self._rung.set()
        with self._lock:
            if self._thread is None or not self._thread.is_alive():
                self._thread = threading.Thread(
                    target=self._run, name="ringer", daemon=True
                )
                self._thread.start()

    def _run(self) -> None:
        # A loop of its own, kept: connecting anew for each ring takes ten times as long.
        loop = asyncio.new_event_loop()
        while True:
            self._rung.wait()
            self._rung.clear()
            layer = get_channel_layer()
            try:
                if layer is not None:
                    loop.run_until_complete(layer.group_send(GROUP, {"type": "ring"}))
                time.sleep(RINGS_AT_MOST_EVERY_S)
            except Exception as error:  # whatever it is, pages look by themselves
                log.warning("live pages are not told through Redis: %s", error)
                time.sleep(SILENT_AFTER_FAILURE_S)


_ringer = Ringer()
