"""A running site for the journeys: uvicorn and a worker on a database and a data folder of their own."""

from __future__ import annotations

import json
import os
import secrets
import subprocess
import sys
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests import migrated
from workbench.setup import ports, processes, up
from workbench.setup.places import ROOT

START_SECONDS = 60.0


@dataclass
class RunningSite:
    """The address of the site, and ways to act on it from outside the browser.

    `accounts` are those of the demo: role → (name, password). All journeys of a run share the site: they name
    what they make so that it is theirs alone.
    """

    address: str
    environ: dict[str, str]
    log: Path
    accounts: dict[str, tuple[str, str]]
    cookies: dict[str, Any] = field(default_factory=dict)
    """Those of the last log-in of each role."""

    def url(self, path: str = "/") -> str:
        """Return the full address of `path`."""
        return self.address.rstrip("/") + path

    def command(self, *words: str) -> Any:
        """Run `bin/workbench` with `words` and `--json` on the site's database; return its document."""
        done = subprocess.run(
            [sys.executable, ROOT / "bin" / "run.py", "workbench.commandline", *words, "--json"],
            env=self.environ, capture_output=True, text=True,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    def seed(self, function: str, **arguments: Any) -> Any:
        """Run `package.module:function` with `arguments` on the site's database; return what it returns, through JSON."""
        code = (
            "import django, importlib, json, sys; django.setup(); module, name = sys.argv[1].split(':');"
            "print(json.dumps(getattr(importlib.import_module(module), name)(**json.loads(sys.argv[2]))))"
        )
        words = [sys.executable, "-c", code, function, json.dumps(arguments)]
        done = subprocess.run(
            words, env=self.environ, cwd=ROOT, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout.splitlines()[-1])


@contextmanager
def running_site(
    folder: Path,
    database_url: str,
    *,
    instead: str = "",
    more: Mapping[str, str] | None = None,
) -> Iterator[RunningSite]:
    """Run a site with the demo in `folder`. `database_url` empty: SQLite; else a new database on that server.

    `instead` of the demo a function may fill it, as for `RunningSite.seed`; it returns the accounts. `more` are settings.
    """
    with _database(database_url, folder) as url:
        environ = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith("WORKBENCH_")
        }
        environ |= {
            "DATABASE_URL": url,
            "WORKBENCH_DATA_DIR": str(folder),
            "DJANGO_SETTINGS_MODULE": "workbench.settings",
            "PYTHONPATH": str(ROOT),
            "WORKBENCH_CLEAN_UP": "0",
            **(more or {}),
        }
        site = RunningSite("", environ, folder / "site.log", {})
        site.command("upgrade-database")
        accounts = (
            site.seed(instead)
            if instead
            else site.command("seed-demo", "--if-new")["accounts"]
        )
        for account in accounts:
            site.accounts[account["role"]] = (account["name"], account["password"])
        port = ports.free()
        site.address = f"http://127.0.0.1:{port}/"
        with site.log.open("wb") as log:
            processes_of_site = up.Site(
                Path(sys.executable), environ, "127.0.0.1", port, output=log.fileno()
            )
            processes_of_site.start()
        try:
            _await(processes_of_site, site)
            yield site
        finally:
            processes_of_site.stop()


def _await(running: up.Site, site: RunningSite) -> None:
    def answers() -> bool:
        try:
            urllib.request.urlopen(site.url("/login/"), timeout=10).close()
        except OSError:
            assert running.web is not None
            assert running.web.poll() is None, site.log.read_text()
            return False
        return True

    processes.wait_until(answers, START_SECONDS, "the site does not answer")


@contextmanager
def _database(server: str, folder: Path) -> Iterator[str]:
    """Give the address of a new, migrated database."""
    if not server:
        path = folder / "site.sqlite3"
        migrated.make_file(path)
        yield f"sqlite:///{path}"
        return
    name = f"proofroom_site_{os.getpid()}_{secrets.token_hex(4)}"
    try:
        yield migrated.make_database(server, name)
    finally:
        migrated.drop_database(server, name)
