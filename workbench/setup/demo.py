"""The demo: seeding it once, showing its log-ins, starting it over."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from workbench.environment import BadEnvironment, Environment
from workbench.setup.places import ROOT
from workbench.setup.words import Problem, say

SQLITE_NAME = "workbench.sqlite3"


def seed(python: Path, environ: Mapping[str, str]) -> list[dict[str, str]]:
    """Seed the demo unless the database holds one; return its accounts (name, role, password)."""
    say("Looking after the demo …")
    done = subprocess.run(
        [
            python,
            ROOT / "bin" / "run.py",
            "workbench.commandline",
            "seed-demo",
            "--if-new",
            "--with-runs",
            "--json",
        ],
        env=environ,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        document: dict[str, Any] = json.loads(done.stdout or "{}")
    except ValueError:
        document = {}
    if done.returncode:
        raise Problem(
            f"the demo could not be seeded (its own words are above). "
            f"bin/up --no-demo starts without it. {document.get('error', '')}".rstrip()
        )
    return [
        {key: str(account.get(key, "")) for key in ("name", "role", "password")}
        for account in document.get("accounts", [])
    ]


def table_of(accounts: list[dict[str, str]]) -> list[str]:
    """Return the lines that show `accounts`, one a line under a head."""
    if not accounts:
        return []
    rows = [("role", "log-in name", "password")]
    rows += [(each["role"], each["name"], each["password"]) for each in accounts]
    widths = [max(len(row[column]) for row in rows) for column in range(3)]
    return [
        "  "
        + "  ".join(
            f"{cell:{width}}" for cell, width in zip(row, widths, strict=True)
        ).rstrip()
        for row in rows
    ]


def set_aside(data: Path, environ: Mapping[str, str], *, agreed: bool) -> None:
    """Move the embedded database out of the way, so that the next start seeds a new demo.

    It is kept beside its old place under a name with the time in it. Asks first unless `agreed`.
    Raises Problem when the database is not the embedded one, or when the answer is not yes.
    """
    try:
        url = Environment(environ).text("DATABASE_URL")
    except BadEnvironment as bad:
        raise Problem(str(bad)) from None
    if url:
        raise Problem(
            "--reset-demo only starts the embedded SQLite database over, and DATABASE_URL names another one. "
            "Unset DATABASE_URL, or make a new database yourself."
        )
    database = data / SQLITE_NAME
    if not database.exists():
        say("There is no demo yet; nothing to reset.")
        return
    if not agreed:
        _ask(database)
    kept = data / f"set-aside-{time.strftime('%Y%m%d-%H%M%S', time.gmtime())}.sqlite3"
    # The write-ahead log belongs to the database by its name: all of it moves, the log first.
    for ending in ("-wal", "-shm", ""):
        part = database.with_name(database.name + ending)
        if part.exists():
            part.rename(kept.with_name(kept.name + ending))
    say(f"The old database is kept as {kept}.")


def _ask(database: Path) -> None:
    megabytes = database.stat().st_size / 1e6
    say(
        f"This starts over: everything in {database} ({megabytes:.1f} MB) is set aside, also what you added yourself."
    )
    if not sys.stdin.isatty():
        raise Problem(
            "--reset-demo wants a yes, and nobody can be asked here. Say it with --yes."
        )
    sys.stdout.write("Start over? Type yes: ")
    sys.stdout.flush()
    if sys.stdin.readline().strip().lower() != "yes":
        raise Problem("nothing was changed.")
