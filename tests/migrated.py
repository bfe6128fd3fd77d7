"""Migrated databases for tests: one of each kind is migrated a run, all others are copies of it.

`migrate` takes ten seconds of a processor, and a run needs some twenty databases. The first who needs a kind migrates it,
through all migrations; bin/test names a folder in which all parts of its run find it, else it is for one session of pytest.
"""

from __future__ import annotations

import os
import secrets
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import psycopg
from psycopg import sql

from workbench.setup.locks import waiting_turn
from workbench.setup.places import ROOT

OF_THE_RUN = "PROOFROOM_TEST_MIGRATED"  # set by bin/test
OF_THE_SESSION = "PROOFROOM_TEST_FOLDER"  # set by the settings of the tests


def make_file(path: Path) -> None:
    """Make `path` a migrated SQLite database; what is there is replaced."""
    for each in path.parent.glob(f"{path.name}*"):
        if each.name.removeprefix(path.name) in ("", "-wal", "-shm"):
            each.unlink()
    origin = _folder() / "migrated.sqlite3"
    with waiting_turn(origin.parent):
        if not origin.exists():
            growing = origin.with_suffix(".growing")
            _migrate(f"sqlite:///{growing}")
            growing.rename(origin)
    with closing(sqlite3.connect(origin)) as old, closing(sqlite3.connect(path)) as new:
        old.backup(new)


def make_database(server: str, name: str) -> str:
    """Make a migrated database `name` on the PostgreSQL at `server`; one of that name is replaced. Returns its address."""
    return _create(server, name, _origin_on(server))


def make_empty_database(server: str, name: str) -> str:
    """The same, with nothing in it."""
    return _create(server, name, "template1")


def drop_database(server: str, name: str) -> None:
    """Drop the database `name`, whoever is connected to it."""
    words = sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)")
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(words.format(sql.Identifier(name)))


def tidy() -> None:
    """Drop what this session left on a PostgreSQL server to be copied. What belongs to a run goes with its server."""
    if OF_THE_RUN not in os.environ:
        note = _folder() / "migrated.postgresql"
        if note.exists():
            server, name = note.read_text().splitlines()
            drop_database(server, name)
            note.unlink()


def _origin_on(server: str) -> str:
    note = _folder() / "migrated.postgresql"
    with waiting_turn(note.parent):
        if not note.exists():
            name = f"proofroom_migrated_{secrets.token_hex(4)}"
            # Before it can fail, so that it is dropped in any case.
            note.write_text(f"{server}\n{name}")
            _migrate(make_empty_database(server, name))
        return note.read_text().splitlines()[1]


def _folder() -> Path:
    folder = Path(os.environ.get(OF_THE_RUN) or os.environ[OF_THE_SESSION])
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def _create(server: str, name: str, origin: str) -> str:
    drop_database(server, name)
    words = sql.SQL("CREATE DATABASE {} TEMPLATE {}")
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(words.format(sql.Identifier(name), sql.Identifier(origin)))
    return urlunsplit(urlsplit(server)._replace(path=f"/{name}"))


def _migrate(url: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "django", "migrate", "--verbosity", "0"],
        env=os.environ | {"DATABASE_URL": url, "DJANGO_SETTINGS_MODULE": "workbench.settings", "PYTHONPATH": str(ROOT)},
        cwd=ROOT, capture_output=True, text=True,
    )  # fmt: skip
    if done.returncode:
        raise RuntimeError(f"the migrations failed:\n{done.stderr}")
