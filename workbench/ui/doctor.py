"""The checks that the ground floor itself answers: database, data folder, safety settings."""

from __future__ import annotations

import os
import shutil
import sys

from django.conf import settings
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

from workbench.ui.checks import BAD, OK, WARN, Answer, Check, checks

__all__ = ["CHECKS", "checks"]

_LOW_SPACE = 2 * 1000**3


def _python() -> Answer:
    return Answer(OK, f"Python {sys.version.split()[0]}")


def _database() -> Answer:
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute("SHOW server_version")
            return Answer(OK, f"PostgreSQL {cursor.fetchone()[0].split()[0]}")
        cursor.execute("SELECT sqlite_version()")
        version = cursor.fetchone()[0]
    return Answer(
        OK,
        f"SQLite {version}, for one machine and a small team",
        "For a team set DATABASE_URL to PostgreSQL.",
    )


def _migrations() -> Answer:
    executor = MigrationExecutor(connection)
    waiting = executor.migration_plan(executor.loader.graph.leaf_nodes())
    if waiting:
        return Answer(
            BAD,
            f"{len(waiting)} migrations are not applied",
            "Run bin/workbench migrate.",
        )
    return Answer(OK, "the database has the tables of this version")


def _data_folder() -> Answer:
    folder = settings.DATA_DIR
    if not os.access(folder, os.W_OK):
        return Answer(
            BAD,
            f"{folder} cannot be written",
            "Give the account that runs the workbench the right to write there.",
        )
    free = shutil.disk_usage(folder).free
    words = f"{folder}, {free / 1000**3:.0f} GB free"
    if free < _LOW_SPACE:
        return Answer(WARN, words, "Make room: grading and exports need scratch space.")
    return Answer(OK, words)


def _safety() -> Answer:
    if settings.DEBUG:
        return Answer(
            BAD,
            "WORKBENCH_DEBUG is on: errors show settings and code",
            "Set WORKBENCH_DEBUG=0.",
        )
    reachable = [
        host
        for host in settings.ALLOWED_HOSTS
        if host not in ("localhost", "127.0.0.1", "[::1]")
    ]
    if reachable and not settings.HTTPS:
        return Answer(
            WARN,
            f"answers to {', '.join(reachable)} without HTTPS",
            "Put a proxy with a certificate in front and set WORKBENCH_HTTPS=1.",
        )
    return Answer(
        OK,
        "served over HTTPS" if settings.HTTPS else "reachable from this machine only",
    )


CHECKS = (
    Check("Python", _python, 10),
    Check("Database", _database, 11),
    Check("Migrations", _migrations, 12),
    Check("Data folder", _data_folder, 13, private=True),
    Check("Exposure", _safety, 14, private=True),
)
