"""bin/test: set up, then run every check and every test, and say at the end what did not run and why."""

from __future__ import annotations

import argparse
import os
import shutil
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from workbench.setup import chromium, pocket, processes, services, virtualenv
from workbench.setup.parts import Outcome, Part, run, summary
from workbench.setup.places import ROOT
from workbench.setup.words import Problem, complain, say

REPORTS = ROOT / "test-results" / "parts"
TWO_WORKERS = ("-n", "2", "--dist", "worksteal")
# One more than there are processors on a small machine: these tests often wait for what they stopped or killed.
THREE_WORKERS = ("-n", "3", "--dist", "worksteal")
# All of them are in one folder; to look through the others for more takes each worker ten seconds.
JOURNEYS = ("--part", "browser", "tests/browser")
# The folder in which the parts of a run find the databases that were migrated (tests/migrated.py).
MIGRATED = "PROOFROOM_TEST_MIGRATED"
# Where tests of one file share something dear.
BY_FILE = ("-n", "2", "--dist", "loadfile")


def parse(arguments: Sequence[str]) -> tuple[argparse.Namespace, list[str]]:
    """Return the options of bin/test, and what is handed to pytest. Ends the program for wrong ones."""
    parser = argparse.ArgumentParser(
        prog="bin/test",
        description="Set up and run the whole test suite. With paths or other pytest arguments: those tests only, "
        "on SQLite, or on the database that DATABASE_URL_TEST names.",
        epilog="Docs: docs/developer/testing.md.",
        allow_abbrev=False,
    )
    parser.add_argument(
        "--quick",
        action="store_true",
        help="checks, pure tests, database tests on SQLite; no more",
    )
    parser.add_argument(
        "--postgresql", action="store_true", help="with paths: on a scratch PostgreSQL"
    )
    return parser.parse_known_args(arguments)


def main(arguments: Sequence[str]) -> int:
    """Run bin/test. Returns 0 when all is well, 1 when something failed, 2 when it could not start."""
    options, rest = parse(arguments)
    processes.stop_on_signals()
    started = time.monotonic()
    try:
        code = _some(rest, options.postgresql) if rest else _all(quick=options.quick)
    except Problem as problem:
        complain(problem)
        return 2
    except processes.Stopped as stopped:
        say("\nStopped.")
        return 128 + stopped.number
    if not rest:
        say(f"(the whole took {time.monotonic() - started:.0f} s)" if code == 0 else "")
    return code


def plain_environment(environ: Mapping[str, str], data: Path) -> dict[str, str]:
    """Return `environ` without anything of an installation that the tests could touch, with a data folder of their own.

    Who wants no bytecode in the tree (PYTHONDONTWRITEBYTECODE) gets it in the data folder: a run starts hundreds of
    processes, and each would compile the whole program again.
    """
    kept = {
        name: value
        for name, value in environ.items()
        if name == "WORKBENCH_CORPUS"
        or not name.startswith(("WORKBENCH_", "DATABASE_URL"))
    }
    if kept.pop("PYTHONDONTWRITEBYTECODE", ""):
        kept["PYTHONPYCACHEPREFIX"] = str(data / "bytecode")
    return kept | {
        "WORKBENCH_DATA_DIR": str(data),
        "PYTHONPATH": str(ROOT),
        MIGRATED: str(data / "migrated"),
    }


@contextmanager
def _ground() -> Iterator[tuple[str, dict[str, str]]]:
    """Give the interpreter and the environment that every part starts from."""
    python = virtualenv.ensure("dev.txt", with_pocket=True)
    data = Path(tempfile.mkdtemp(prefix="proofroom-test-run-"))
    try:
        yield str(python), plain_environment(os.environ, data)
    finally:
        shutil.rmtree(data, ignore_errors=True)


@contextmanager
def _postgresql(environ: Mapping[str, str], obstacle: str) -> Iterator[dict[str, str]]:
    """Give `environ` with the address of a PostgreSQL: the one of DATABASE_URL_TEST, else a scratch one."""
    if url := os.environ.get("DATABASE_URL_TEST", ""):
        # The server stays, so each part drops what it migrated there.
        shared = {name: value for name, value in environ.items() if name != MIGRATED}
        yield {**shared, "DATABASE_URL": url}
    elif obstacle:
        yield dict(environ)
    else:
        with services.scratch_postgresql() as url:
            yield {**environ, "DATABASE_URL": url}


def _some(rest: list[str], postgresql: bool) -> int:
    with _ground() as (python, environ), ExitStack() as stack:
        if postgresql or os.environ.get("DATABASE_URL_TEST"):
            if obstacle := _postgresql_obstacle():
                raise Problem(f"no PostgreSQL: {obstacle}.")
            environ = stack.enter_context(_postgresql(environ, ""))
        child = processes.start(
            [python, "-m", "pytest", *rest], environ=environ, cwd=ROOT
        )
        try:
            return child.wait()
        finally:
            processes.stop([child])


def _postgresql_obstacle() -> str:
    return (
        ""
        if os.environ.get("DATABASE_URL_TEST")
        else services.postgresql_obstacle(install=True)
    )


def _all(*, quick: bool) -> int:
    REPORTS.mkdir(parents=True, exist_ok=True)
    strict = os.environ.get("CI", "").lower() in ("1", "true")
    outcomes: list[Outcome] = []
    with _ground() as (python, environ):
        for part in checks(python, environ):
            outcomes.append(run(part, REPORTS, say))
        if quick:
            chosen = tests_on_sqlite(python, environ)
            outcomes += [run(part, REPORTS, say) for part in chosen]
        else:
            no_postgresql, no_browser = (
                _postgresql_obstacle(),
                chromium.obstacle(install=True),
            )
            services.redis_obstacle(install=True)
            services.bubblewrap_obstacle(install=True)
            with _postgresql(environ, no_postgresql) as on_postgresql:
                for part in [
                    *tests_on_sqlite(python, environ),
                    *other_tests(
                        python, environ, on_postgresql, no_postgresql, no_browser
                    ),
                ]:
                    outcomes.append(run(part, REPORTS, say))
    lines, code = summary(outcomes, strict=strict)
    for line in lines:
        say(line)
    return code


def checks(python: str, environ: Mapping[str, str]) -> list[Part]:
    """Return the parts that read the code without running it."""
    tool = [python, "-m"]
    return [
        Part("ruff check", [*tool, "ruff", "check", "."], environ),
        Part(
            "ruff format", [*tool, "ruff", "format", "--check", "--quiet", "."], environ
        ),
        Part("mypy", [*tool, "mypy", "."], environ),
        Part("import rules", [str(Path(python).parent / "lint-imports")], environ),
        Part(
            "migrations",
            [python, "manage.py", "makemigrations", "--check", "--dry-run"],
            environ,
        ),
    ]


def tests_on_sqlite(python: str, environ: Mapping[str, str]) -> list[Part]:
    """Return the pure tests, and those that use the database on SQLite; what needs one database only runs on the other."""
    pytest = [python, "-m", "pytest", "-q"]
    return [
        Part("pure tests", [*pytest, *THREE_WORKERS, "--part", "pure"], environ, uses_pytest=True),
        Part(
            "database tests on SQLite",
            [*pytest, *TWO_WORKERS, "--part", "database", "-m", "not one_database"],
            environ,
            uses_pytest=True,
        ),
    ]  # fmt: skip


def other_tests(
    python: str,
    environ: Mapping[str, str],
    on_postgresql: Mapping[str, str],
    no_postgresql: str,
    no_browser: str,
) -> list[Part]:
    """Return the database tests on PostgreSQL, the journeys in a browser, and the tests with a real Lean."""
    no_postgresql = f"no PostgreSQL: {no_postgresql}" if no_postgresql else ""
    no_browser = f"no Chromium: {no_browser}" if no_browser else ""
    no_lean = f"no pocket Lean: {reason}" if (reason := pocket.obstacle()) else ""
    pytest = [python, "-m", "pytest", "-q"]
    return [
        Part(
            "database tests on PostgreSQL", [*pytest, *TWO_WORKERS, "--part", "database"], on_postgresql,
            uses_pytest=True, obstacle=no_postgresql,
        ),
        Part(
            "browser on PostgreSQL", [*pytest, *TWO_WORKERS, *JOURNEYS], on_postgresql,
            uses_pytest=True, obstacle=no_postgresql or no_browser,
        ),
        Part(
            "browser on SQLite", [*pytest, *TWO_WORKERS, *JOURNEYS, "-m", "sqlite_too"], environ,
            uses_pytest=True, obstacle=no_browser,
        ),
        Part("Lean tests", [*pytest, *BY_FILE, "--part", "lean"], environ, uses_pytest=True, obstacle=no_lean),
    ]  # fmt: skip
