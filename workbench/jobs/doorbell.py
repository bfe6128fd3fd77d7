"""Wait until the database may have something new, without asking it all the time.

PostgreSQL rings by NOTIFY on a connection of its own. On SQLite `PRAGMA data_version` changes whenever another
connection has committed; it reads no table, so it can be asked often. Either may ring for nothing, and a ring may be
lost with a connection: whoever waits also looks now and then.
"""

from __future__ import annotations

import os
import select
import time
from collections.abc import Sequence
from typing import Any, Final, Protocol

import psycopg
from django.db import connection

JOBS: Final = "workbench_jobs"
LIVE: Final = "workbench_live"
SQLITE_LOOKS_EVERY_S: Final = 0.1


class Doorbell(Protocol):
    """Belongs to the thread that made it."""

    def wait(self, seconds: float) -> bool:
        """Wait at most `seconds`; return early, and True, when it rang. Raises database errors."""

    def close(self) -> None:
        """Let go of the connection."""


class Nudge:
    """A pipe by which other threads end the wait of a doorbell."""

    def __init__(self) -> None:
        self.reader, self._writer = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)

    def __call__(self) -> None:
        try:
            os.write(self._writer, b".")
        except BlockingIOError:  # it is full of nudges
            pass

    def clear(self) -> bool:
        """Forget the nudges so far; return whether there were any."""
        try:
            return bool(os.read(self.reader, 4096))
        except BlockingIOError:
            return False

    def close(self) -> None:
        os.close(self.reader)
        os.close(self._writer)


def doorbell(nudge: Nudge, channels: Sequence[str]) -> Doorbell:
    """Return the doorbell for the database in use, which `nudge` rings as well."""
    return (
        PostgresDoorbell(nudge, channels)
        if connection.vendor == "postgresql"
        else SqliteDoorbell(nudge)
    )


class PostgresDoorbell:
    def __init__(self, nudge: Nudge, channels: Sequence[str]) -> None:
        parameters: dict[str, Any] = connection.get_connection_params()
        for name in ("cursor_factory", "context"):
            parameters.pop(name, None)
        self._nudge = nudge
        self._errors = connection.wrap_database_errors
        with self._errors:
            self._connection = psycopg.connect(**parameters, autocommit=True)
            for channel in channels:
                self._connection.execute(f"LISTEN {channel}".encode())

    def wait(self, seconds: float) -> bool:
        ready, _, _ = select.select(
            [self._connection.fileno(), self._nudge.reader], [], [], max(seconds, 0)
        )
        rang = self._nudge.clear()
        if self._connection.fileno() in ready:
            with self._errors:
                rang = any(True for _ in self._connection.notifies(timeout=0)) or rang
        return rang

    def close(self) -> None:
        self._connection.close()


class SqliteDoorbell:
    def __init__(self, nudge: Nudge) -> None:
        self._nudge = nudge
        self._version = self._look()

    def _look(self) -> int:
        with connection.cursor() as cursor:
            cursor.execute("PRAGMA data_version")
            return int(cursor.fetchone()[0])

    def wait(self, seconds: float) -> bool:
        deadline = time.monotonic() + seconds
        while True:
            version = self._look()
            if version != self._version:
                self._version = version
                return True
            left = min(deadline - time.monotonic(), SQLITE_LOOKS_EVERY_S)
            if left <= 0:
                return False
            select.select([self._nudge.reader], [], [], left)
            if self._nudge.clear():
                return True

    def close(self) -> None:
        """The connection is the thread's own, which closes it."""
