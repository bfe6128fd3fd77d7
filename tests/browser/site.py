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
    seeder: subprocess.Popen[str] | None = None
    """The process that does what `seed` asks for, from the first time on."""

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
        """Call `package.module:function` with `arguments` on the site's database; return what it returns, through JSON."""
        if self.seeder is None:
            self.seeder = _seeder(self.environ, self.log)
        asked, answers = self.seeder.stdin, self.seeder.stdout
        assert asked is not None
        assert answers is not None
        asked.write(json.dumps([function, arguments]) + "\n")
        asked.flush()
        answer = json.loads(answers.readline() or "{}")
        assert "returned" in answer, answer.get("raised") or self.log.read_text()
        return answer["returned"]


def _seeder(environ: Mapping[str, str], log: Path) -> subprocess.Popen[str]:
    """Start the process that calls what journeys ask for: to set Django up for each takes seconds."""
    with log.open("ab") as said:
        return subprocess.Popen(
            [sys.executable, "-m", "tests.browser.seeder"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=said, text=True, env=environ, cwd=ROOT,
        )  # fmt: skip


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
        try:
            with _served(site, instead):
                yield site
        finally:
            if site.seeder is not None:
                site.seeder.communicate()  # its input ends, and so does it


@contextmanager
def _served(site: RunningSite, instead: str) -> Iterator[None]:
    """Fill the database, and run the web server and the worker meanwhile."""
    accounts = (
        site.seed(instead)
        if instead
        else site.command("seed-demo", "--if-new")["accounts"]
    )
    for account in accounts:
        site.accounts[account["role"]] = (account["name"], account["password"])
    port = ports.free()
    site.address = f"http://127.0.0.1:{port}/"
    with site.log.open("ab") as log:
        running = up.Site(
            Path(sys.executable), site.environ, "127.0.0.1", port, output=log.fileno()
        )
        running.start()
    try:
        _await(running, site)
        yield
    finally:
        running.stop()


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
