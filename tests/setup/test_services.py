from __future__ import annotations

import os
import socket
from pathlib import Path
from urllib.parse import urlsplit

import psycopg
import pytest

from workbench.setup import services


def test_a_scratch_postgresql_answers_and_leaves_nothing() -> None:
    if obstacle := services.postgresql_obstacle():
        pytest.skip(f"no PostgreSQL: {obstacle}")
    with services.scratch_postgresql() as url:
        with psycopg.connect(url) as connection:
            row = connection.execute(
                "select current_setting('data_directory')"
            ).fetchone()
        assert row is not None
        folder = Path(row[0])
        assert folder.exists() or os.geteuid() != 0
    assert not folder.exists()
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", urlsplit(url).port or 0), timeout=5)


def test_a_scratch_postgresql_wants_its_password() -> None:
    if obstacle := services.postgresql_obstacle():
        pytest.skip(f"no PostgreSQL: {obstacle}")
    with (
        services.scratch_postgresql() as url,
        pytest.raises(psycopg.OperationalError, match="password"),
    ):
        psycopg.connect(url.replace(urlsplit(url).password or "", "wrong"))


def test_a_scratch_redis_answers(redis_url: str) -> None:
    with socket.create_connection(
        ("127.0.0.1", urlsplit(redis_url).port or 0), timeout=5
    ) as connection:
        connection.sendall(b"PING\r\n")
        assert connection.recv(16) == b"+PONG\r\n"


def test_the_newest_postgresql_is_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for version in ("9", "15", "16", "notes"):
        (tmp_path / version / "bin").mkdir(parents=True)
        (tmp_path / version / "bin" / "initdb").touch()
    monkeypatch.setenv("PATH", "")
    assert services.postgresql_programs(tmp_path) == tmp_path / "16" / "bin"


def test_no_postgresql_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    assert services.postgresql_programs(tmp_path) is None
