"""One reader for all sockets of a process: a thread waits at the doorbell, reads the tail, and hands out what is new."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import threading
import time
from collections.abc import Awaitable, Callable
from contextlib import closing
from typing import Final
from weakref import WeakKeyDictionary

from channels.layers import get_channel_layer
from django.db import DatabaseError, InterfaceError, connection

from workbench.jobs.doorbell import LIVE, Nudge, doorbell
from workbench.live.tail import Poke, Tail
from workbench.ringing import GROUP

log = logging.getLogger(__name__)
LOOKS_AT_LEAST_EVERY_S: Final = 5.0
READS_AT_MOST_EVERY_S: Final = 0.1
LINGERS_S: Final = 20.0
READY_WITHIN_S: Final = 5.0

Listener = Callable[[list[Poke]], Awaitable[None]]


class NotReady(Exception):
    """The database cannot be read at present."""


class Hub:
    """Belongs to one event loop. The thread starts with the first listener and ends some time after the last."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._listeners: set[Listener] = set()
        self._nudge: Nudge | None = None
        self._thread: threading.Thread | None = None
        self._ready = asyncio.Event()
        self._alone_since: float | None = None
        self._closing = False
        self._tasks: set[asyncio.Task[None]] = set()
        self._ears: asyncio.Future[None] | None = None

    async def join(self, listener: Listener) -> None:
        """Call `listener` with whatever commits from now on. Raises `NotReady`."""
        self._listeners.add(listener)
        self._alone_since = None
        if self._thread is None:
            self._ready.clear()
            self._nudge = Nudge()
            self._closing = False
            self._thread = threading.Thread(
                target=self._run, args=(self._nudge,), name="live", daemon=True
            )
            self._thread.start()
            if get_channel_layer() is not None:
                self._ears = asyncio.ensure_future(self._hear(self._nudge))
        try:
            await asyncio.wait_for(self._ready.wait(), READY_WITHIN_S)
        except TimeoutError:
            self.leave(listener)
            raise NotReady from None

    def leave(self, listener: Listener) -> None:
        """Call `listener` no more."""
        self._listeners.discard(listener)
        if not self._listeners:
            self._alone_since = time.monotonic()

    async def close(self) -> None:
        """End the thread and wait for it (tests do; the server's ends with the process)."""
        thread, self._closing = self._thread, True
        if thread is not None and self._nudge is not None:
            self._nudge()
            await asyncio.to_thread(thread.join)

    # ---- the thread

    def _run(self, nudge: Nudge) -> None:
        pause = 0.2
        tail: Tail | None = None
        while not self._over():
            try:
                with closing(doorbell(nudge, [LIVE])) as bell:
                    tail = tail or Tail()
                    self._in_loop(self._ready.set)
                    pause = 0.2
                    while not self._over():
                        pokes = tail.read()
                        if pokes:
                            self._in_loop(lambda pokes=pokes: self._hand_out(pokes))  # type: ignore[misc]  # binds now
                            time.sleep(READS_AT_MOST_EVERY_S)
                        else:
                            bell.wait(LOOKS_AT_LEAST_EVERY_S)
            except (DatabaseError, InterfaceError, OSError) as error:
                log.warning(
                    "live updates wait for the database: %s", str(error).strip()
                )
                connection.close()
                time.sleep(pause)
                pause = min(pause * 2, 5.0)
        connection.close()
        self._in_loop(lambda: self._ended(nudge))

    def _over(self) -> bool:
        alone = self._alone_since
        return self._closing or (
            alone is not None and time.monotonic() - alone > LINGERS_S
        )

    def _in_loop(self, callback: Callable[[], None]) -> None:
        with contextlib.suppress(RuntimeError):  # the loop is closed
            self._loop.call_soon_threadsafe(callback)

    # ---- the loop

    async def _hear(self, nudge: Nudge) -> None:
        """Wake the thread whenever somebody rings through Redis."""
        layer = get_channel_layer()
        while layer is not None:
            try:
                channel = await layer.new_channel()
                await layer.group_add(GROUP, channel)
                while True:
                    await layer.receive(channel)
                    nudge()
            except Exception as error:  # the thread looks by itself in the meantime
                log.warning("live updates do without Redis: %s", error)
                await asyncio.sleep(LOOKS_AT_LEAST_EVERY_S)

    def _hand_out(self, pokes: list[Poke]) -> None:
        for listener in list(self._listeners):
            task = self._loop.create_task(_quietly(listener, pokes))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    def _ended(self, nudge: Nudge) -> None:
        if self._ears is not None:
            self._ears.cancel()
            self._ears = None
        nudge.close()
        self._thread = self._nudge = None
        self._ready.clear()
        if self._listeners and not self._closing:  # somebody came while it was ending
            for listener in list(self._listeners):
                task = self._loop.create_task(self.join(listener))
                self._tasks.add(task)
                task.add_done_callback(self._tasks.discard)


async def _quietly(listener: Listener, pokes: list[Poke]) -> None:
    try:
        await listener(pokes)
    except Exception:  # a socket that closed meanwhile is no news
        log.debug("a listener did not take its pokes", exc_info=True)


_hubs: WeakKeyDictionary[asyncio.AbstractEventLoop, Hub] = WeakKeyDictionary()


def hub() -> Hub:
    """Return the hub of the running event loop."""
    loop = asyncio.get_running_loop()
    if loop not in _hubs:
        _hubs[loop] = Hub(loop)
    return _hubs[loop]
