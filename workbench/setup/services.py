"""Scratch servers for tests: PostgreSQL and Redis in folders of their own, gone when the run ends."""

from __future__ import annotations

import os
import secrets
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from workbench.setup import apt, ports, processes
from workbench.setup.words import Problem

START_SECONDS = 60.0
# Nothing in a scratch server outlives it, so nothing has to reach the disk.
_CARELESS = (
    "fsync=off", "synchronous_commit=off", "full_page_writes=off", "autovacuum=off", "max_connections=100",
    "shared_buffers=128MB", "listen_addresses=127.0.0.1", "log_min_messages=fatal",
)  # fmt: skip


def postgresql_programs(folders: Path = Path("/usr/lib/postgresql")) -> Path | None:
    """Return the folder with `initdb` and `postgres`: of the PATH, else the newest that Debian installed."""
    found = shutil.which("initdb")
    if found and (Path(found).resolve().parent / "postgres").exists():
        return Path(found).resolve().parent
    versions = [
        path.parent
        for path in folders.glob("*/bin/initdb")
        if path.parent.parent.name.isdigit()
    ]
    return max(versions, key=lambda path: int(path.parent.name), default=None)


def postgresql_obstacle(*, install: bool = False) -> str:
    """Return why there can be no scratch PostgreSQL, or "". With `install`, Debian's package is put in as root."""
    if postgresql_programs() is None:
        refusal = (
            apt.install("postgresql")
            if install
            else "not installed (apt install postgresql)"
        )
        if refusal:
            return refusal
    return "" if postgresql_programs() else "its server programs were not found"


def bubblewrap_obstacle(*, install: bool = False) -> str:
    """Return why there is no bubblewrap, or "". With `install`, Debian's package is put in as root."""
    if shutil.which("bwrap") is None:
        return (
            apt.install("bubblewrap")
            if install
            else "not installed (apt install bubblewrap)"
        )
    return ""


def redis_obstacle(*, install: bool = False) -> str:
    """Return why there can be no scratch Redis, or "". With `install`, Debian's package is put in as root."""
    if shutil.which("redis-server") is None:
        return (
            apt.install("redis-server")
            if install
            else "not installed (apt install redis-server)"
        )
    return ""


class Scratch:
    """A server in a folder of its own. It can be killed without warning, and started again on what it left."""

    def __init__(
        self,
        words: Sequence[object],
        folder: Path,
        is_ready: Callable[[], bool],
        *,
        user: str | None = None,
        by: int = signal.SIGTERM,
    ) -> None:
        self._words, self._folder, self._is_ready = words, folder, is_ready
        self._user, self._by = user, by
        self._server: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start it and wait until it answers. Raises Problem."""
        path = self._folder / "server.log"
        with path.open("wb") as log:
            self._server = processes.start(
                self._words,
                cwd=self._folder,
                user=self._user,
                last_signal=self._by,
                stdout=log.fileno(),
                stderr=log.fileno(),
            )
        _await(self._server, self._is_ready, path)

    def kill(self) -> None:
        """Kill it as kill -9 does, with the processes that it has for its clients."""
        assert self._server is not None
        pid = self._server.pid
        below = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        for each in [str(pid), *below]:
            with suppress(ProcessLookupError):
                os.kill(int(each), signal.SIGKILL)
        self._server.wait()

    def stop(self) -> None:
        """Stop it, if it runs."""
        if self._server is not None:
            processes.stop([self._server], by=self._by)


@contextmanager
def scratch_postgresql() -> Iterator[str]:
    """Run a PostgreSQL of our own; give the address of its database. Raises Problem if it does not start."""
    with postgresql_server() as (_, url):
        yield url


@contextmanager
def scratch_redis() -> Iterator[str]:
    """Run a Redis of our own that keeps nothing; give its address. Raises Problem if it does not start."""
    with redis_server() as (_, url):
        yield url


@contextmanager
def postgresql_server() -> Iterator[tuple[Scratch, str]]:
    """Run a PostgreSQL of our own; give it and the address of its database. Raises Problem if it does not start.

    It refuses to run as root: then it runs as the user `postgres`.
    """
    programs = postgresql_programs()
    if programs is None:
        raise Problem(f"no PostgreSQL: {postgresql_obstacle()}.")
    user = "postgres" if os.geteuid() == 0 else None
    folder = Path(tempfile.mkdtemp(prefix="proofroom-postgresql-"))
    server: Scratch | None = None
    try:
        password = secrets.token_hex(16)
        secret = folder / "password"
        secret.write_text(password)
        if user:
            for path in (folder, secret):
                shutil.chown(path, user, user)
        made = subprocess.run(
            [programs / "initdb", "-D", folder / "data", "-U", "proofroom", "--auth=scram-sha-256",
             f"--pwfile={secret}", "--encoding=UTF8", "--locale=C.UTF-8", "--no-sync"],
            user=user, group=user, extra_groups=[] if user else None, cwd=folder, capture_output=True, text=True,
        )  # fmt: skip
        if made.returncode:
            raise Problem(
                f"initdb failed: {(made.stderr.strip().splitlines() or ['no reason given'])[-1]}"
            )
        port = ports.free()
        settings = [*_CARELESS, f"port={port}", f"unix_socket_directories={folder}"]
        words = [programs / "postgres", "-D", folder / "data", *(f"--{each}" for each in settings)]  # fmt: skip
        ready = [str(programs / "pg_isready"), "-q", "-h", "127.0.0.1", "-p", str(port)]
        # SIGINT is its "fast" way to stop: connections are cut.
        server = Scratch(words, folder, lambda: subprocess.run(ready).returncode == 0, user=user, by=signal.SIGINT)  # fmt: skip
        server.start()
        yield server, f"postgres://proofroom:{password}@127.0.0.1:{port}/postgres"
    finally:
        if server:
            server.stop()
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def redis_server() -> Iterator[tuple[Scratch, str]]:
    """Run a Redis of our own that keeps nothing; give it and its address. Raises Problem if it does not start."""
    with tempfile.TemporaryDirectory(prefix="proofroom-redis-") as folder:
        port = ports.free()
        words = ["redis-server", "--port", port, "--bind", "127.0.0.1", "--save", "", "--dir", folder]  # fmt: skip
        server = Scratch(words, Path(folder), lambda: _listens(port))
        try:
            server.start()
            yield server, f"redis://127.0.0.1:{port}/0"
        finally:
            server.stop()


def _listens(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), timeout=1).close()
    except OSError:
        return False
    return True


def _await(
    server: subprocess.Popen[bytes], is_ready: Callable[[], bool], log: Path
) -> None:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        if server.poll() is not None:
            words = log.read_text(errors="replace").strip().splitlines() or [
                "no reason given"
            ]
            raise Problem(f"a scratch server {processes.ending(server)}: {words[-1]}")
        if is_ready():
            return
        time.sleep(0.05)
    raise Problem(f"a scratch server was not ready after {START_SECONDS:.0f} s.")
