"""The database into files and back: SQLite by its own backup, PostgreSQL by COPY in one snapshot.

Neither needs a program of the database's, and both run beside web and workers.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path
from typing import Any

import psycopg
from django.core.management import call_command
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from psycopg import sql

SQLITE = "database.sqlite3"


def dump_sqlite(folder: Path) -> Path:
    """Write a consistent copy of the database into `folder`; return it."""
    target = folder / SQLITE
    with (
        closing(sqlite3.connect(str(connection.settings_dict["NAME"]), timeout=20)) as source,
        closing(sqlite3.connect(target)) as copy,
    ):  # fmt: skip
        source.backup(copy, pages=4096)
        copy.execute("PRAGMA journal_mode=DELETE")
    return target


def look_into_sqlite(path: Path) -> tuple[str, list[list[str]]]:
    """Return the mark of the head and the migrations of the copy `path`."""
    with closing(sqlite3.connect(path)) as copy:
        head = copy.execute("SELECT number, hash FROM events_head WHERE id = 1").fetchone()  # fmt: skip
        rows = copy.execute("SELECT app, name FROM django_migrations ORDER BY id")
        return _mark(head), [list(row) for row in rows]


def intact_sqlite(path: Path) -> bool:
    """Return whether SQLite finds the copy `path` whole."""
    with closing(sqlite3.connect(path)) as copy:
        return bool(copy.execute("PRAGMA integrity_check").fetchone()[0] == "ok")


def _mark(head: Any) -> str:
    return f"{head[0]}:{head[1]}" if head else f"0:{'0' * 64}"


def plain_connection() -> psycopg.Connection[Any]:
    """Return a connection to the PostgreSQL in use, beside Django's."""
    parameters: dict[str, Any] = connection.get_connection_params()
    for name in ("cursor_factory", "context"):
        parameters.pop(name, None)
    return psycopg.connect(**parameters)


class PostgresDump:
    """One snapshot of a PostgreSQL database."""

    def __init__(self) -> None:
        self._connection = plain_connection()
        self._connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
        self._connection.read_only = True
        self.tables = {table: _columns(self._connection, table) for table in _tables(self._connection)}  # fmt: skip

    def head(self) -> str:
        """Return the mark of the head of the record."""
        return _mark(self._connection.execute("SELECT number, hash FROM events_head WHERE id = 1").fetchone())  # fmt: skip

    def migrations(self) -> list[list[str]]:
        rows = self._connection.execute("SELECT app, name FROM django_migrations ORDER BY id")  # fmt: skip
        return [list(row) for row in rows]

    def dump(self, table: str, target: Path) -> int:
        """Write the rows of `table` into `target`; return how many there are."""
        words = sql.SQL("COPY (SELECT {} FROM {}) TO STDOUT").format(
            _listed(self.tables[table]), sql.Identifier(table)
        )
        with self._connection.cursor() as cursor:
            with target.open("wb") as out, cursor.copy(words) as copy:
                for data in copy:
                    out.write(data)
            return cursor.rowcount

    def close(self) -> None:
        self._connection.close()


def _tables(connected: psycopg.Connection[Any]) -> list[str]:
    rows = connected.execute(
        "SELECT table_name FROM information_schema.tables"
        " WHERE table_schema = current_schema() AND table_type = 'BASE TABLE' ORDER BY table_name"
    )
    return [row[0] for row in rows]


def _columns(connected: psycopg.Connection[Any], table: str) -> list[str]:
    rows = connected.execute(
        "SELECT column_name FROM information_schema.columns"
        " WHERE table_schema = current_schema() AND table_name = %s AND is_generated = 'NEVER' ORDER BY ordinal_position",
        [table],
    )
    return [row[0] for row in rows]


def _listed(names: Iterable[str]) -> sql.Composed:
    return sql.SQL(", ").join(map(sql.Identifier, names))


def empty_postgres() -> None:
    """Drop every table of the database."""
    with plain_connection() as connected:
        if tables := _tables(connected):
            connected.execute(sql.SQL("DROP TABLE {} CASCADE").format(_listed(tables)))


def has_tables() -> bool:
    """Return whether the database in use holds any table."""
    return bool(connection.introspection.table_names())


def unknown_migrations(migrations: Iterable[Iterable[str]]) -> list[str]:
    """Return those of `migrations` (app, name) that this version does not know: then it is older than the backup."""
    known = MigrationExecutor(connection).loader.graph.nodes
    return [f"{app}.{name}" for app, name in migrations if (app, name) not in known]


def load_postgres(
    folder: Path, tables: dict[str, list[str]], migrations: list[list[str]]
) -> None:
    """Make the tables as they were, fill them from `folder`, and bring them to this version."""
    _migrate_to(migrations)
    connection.close()
    with plain_connection() as connected:
        connected.execute(sql.SQL("TRUNCATE {} CASCADE").format(_listed(_tables(connected))))  # fmt: skip
        for table, columns in tables.items():
            words = sql.SQL("COPY {} ({}) FROM STDIN").format(sql.Identifier(table), _listed(columns))  # fmt: skip
            path = folder / "tables" / f"{table}.copy"
            with connected.cursor() as cursor, path.open("rb") as rows, cursor.copy(words) as copy:  # fmt: skip
                while data := rows.read(1 << 20):
                    copy.write(data)
            _set_sequence(connected, table)
    call_command("migrate", interactive=False, verbosity=0)


def _migrate_to(migrations: list[list[str]]) -> None:
    executor = MigrationExecutor(connection)
    graph, there = executor.loader.graph, {(app, name) for app, name in migrations}
    last = [
        key
        for key in there
        if not any(
            child.key in there and child.key[0] == key[0]
            for child in graph.node_map[key].children
        )
    ]
    executor.migrate(sorted(last))


def _set_sequence(connected: psycopg.Connection[Any], table: str) -> None:
    """Have the numbers of `table` go on after the last one that is there."""
    row = connected.execute(
        "SELECT column_name FROM information_schema.columns WHERE table_schema = current_schema() AND table_name = %s"
        " AND (is_identity = 'YES' OR column_default LIKE 'nextval%%')",
        [table],
    ).fetchone()
    if row is None:
        return
    words = sql.SQL(
        "SELECT setval(pg_get_serial_sequence({name}, {column_text}), coalesce(max({column}), 1), max({column}) IS NOT NULL) FROM {table}"
    ).format(
        name=sql.Literal(f'"{table}"'), column_text=sql.Literal(row[0]),
        column=sql.Identifier(row[0]), table=sql.Identifier(table),
    )  # fmt: skip
    connected.execute(words)
