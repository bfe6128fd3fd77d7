"""Which database this installation uses, whether it can be reached and is of this version: in words."""

from __future__ import annotations

from dataclasses import dataclass

from django.conf import settings
from django.db import DatabaseError, OperationalError, connection
from django.db.migrations.executor import MigrationExecutor

PROBE_SECONDS = 5
_NO_TABLE = ("no such table", "no such column", "does not exist")
_SQLITE_WORDS = {
    "unable to open database file": "cannot open the database {name}. Check that its folder exists and is yours.",
    "readonly database": "cannot write the database {name}. Check that it and its folder are yours.",
    "database is locked": "the database {name} stayed locked for 20 s by another process. Try again, or find that process.",
    "database or disk is full": "the disk of {name} is full.",
    "disk i/o error": "the disk of {name} reports an error.",
    "malformed": "the database {name} is damaged. Restore it from a backup.",
    "file is not a database": "{name} is not a SQLite database.",
}
# SQLSTATE classes: connection, authorization, no such database, too many connections, server shutting down.
_CONNECTION_STATES = ("08", "28", "3D", "53", "57P")
UPGRADE = "Run: bin/workbench upgrade-database"


@dataclass(frozen=True)
class Place:
    """The database, named without its password: `kind` is SQLite or PostgreSQL."""

    kind: str
    name: str


def place() -> Place:
    """Return where the database is."""
    given = settings.DATABASES["default"]
    if connection.vendor == "sqlite":
        return Place("SQLite", str(given["NAME"]))
    address = f"{given.get('HOST') or 'the local socket'}:{given.get('PORT') or 5432}/{given['NAME']}"
    return Place("PostgreSQL", address)


def demand_reachable() -> None:
    """Raise OperationalError, in the server's own words, if PostgreSQL does not answer within a few seconds.

    The connection pool would say only that it waited. Nothing is done for SQLite.
    """
    if connection.vendor != "postgresql":
        return
    import psycopg

    given = settings.DATABASES["default"]
    try:
        psycopg.connect(
            host=given.get("HOST") or None,
            port=given.get("PORT") or None,
            dbname=given["NAME"],
            user=given.get("USER") or None,
            password=given.get("PASSWORD") or None,
            connect_timeout=PROBE_SECONDS,
        ).close()
    except psycopg.OperationalError as error:
        raise OperationalError(str(error)) from None


def obstacle(error: BaseException) -> str:
    """Return what the database error `error` means for the operator, with the remedy; "" if it is the program's fault."""
    text, where = str(error).strip(), place()
    if (
        any(words in text for words in _NO_TABLE)
        and 'database "' not in text
        and 'role "' not in text
    ):
        return f"the {where.kind} database {where.name} lacks tables of this version. {UPGRADE}"
    for mark, words in _SQLITE_WORDS.items():
        if where.kind == "SQLite" and mark in text.lower():
            return words.format(name=where.name)
    if where.kind == "PostgreSQL" and is_about_the_connection(error):
        return f"cannot reach PostgreSQL at {where.name}: {_reason(text)}. Check DATABASE_URL and the server."
    return ""


def is_about_the_connection(error: BaseException) -> bool:
    """Whether PostgreSQL was not reached, or ended the connection; a deadlock or a timeout is something else."""
    state = getattr(error.__cause__, "sqlstate", None)
    return isinstance(error, OperationalError) and (
        state is None or state.startswith(_CONNECTION_STATES)
    )


def _reason(text: str) -> str:
    if "couldn't get a connection" in text:
        try:
            demand_reachable()
        except OperationalError as error:
            text = str(error)
    lines = [line.strip() for line in text.splitlines() if line.strip()] or [
        "it gave no reason"
    ]
    return lines[0].removeprefix("connection failed: ").rstrip(".")


def unapplied() -> list[str]:
    """Return the migrations that the database still lacks, as app.name, in order. Raises DatabaseError."""
    executor = MigrationExecutor(connection)
    plan = executor.migration_plan(executor.loader.graph.leaf_nodes())
    return [f"{migration.app_label}.{migration.name}" for migration, _ in plan]


def version() -> str:
    """Return the version of the database server or library. Raises DatabaseError."""
    query = (
        "select sqlite_version()"
        if connection.vendor == "sqlite"
        else "show server_version"
    )
    with connection.cursor() as cursor:
        cursor.execute(query)
        row = cursor.fetchone()
    if row is None:
        raise DatabaseError("the database did not say its version")
    return str(row[0]).split()[0]
