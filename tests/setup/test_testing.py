from __future__ import annotations

from pathlib import Path

import pytest

from workbench.setup import testing
from workbench.setup.parts import Part

TESTS = ("pure", "database", "browser", "lean")


def parts_of_a_whole_run(**obstacles: str) -> list[Part]:
    """Return every part of a run in which `obstacles` (postgresql, browser) stand in the way."""
    plain, other = {"A": "sqlite"}, {"A": "postgresql"}
    return [
        *testing.checks("/venv/bin/python", plain),
        *testing.tests_on_sqlite("/venv/bin/python", plain),
        *testing.other_tests(
            "/venv/bin/python",
            plain,
            other,
            obstacles.get("postgresql", ""),
            obstacles.get("browser", ""),
        ),
    ]


def part_and_database(part: Part) -> tuple[str, str]:
    words = list(part.words)
    return words[words.index("--part") + 1], part.environ["A"]


def test_every_kind_of_test_runs_on_the_databases_it_needs() -> None:
    found = [
        part_and_database(part) for part in parts_of_a_whole_run() if part.uses_pytest
    ]
    assert sorted(found) == [
        ("browser", "postgresql"),
        ("browser", "sqlite"),
        ("database", "postgresql"),
        ("database", "sqlite"),
        ("lean", "sqlite"),
        ("pure", "sqlite"),
    ]


def test_the_code_is_checked_before_the_tests_run() -> None:
    names = [part.name for part in parts_of_a_whole_run()]
    assert names[:6] == [
        "ruff check",
        "ruff format",
        "mypy",
        "import rules",
        "migrations",
        "pure tests",
    ]


def test_without_postgresql_everything_on_it_is_named_as_missing() -> None:
    missing = {
        part.name: part.obstacle
        for part in parts_of_a_whole_run(postgresql="not installed")
        if part.obstacle
    }
    assert missing == {
        "database tests on PostgreSQL": "no PostgreSQL: not installed",
        "browser on PostgreSQL": "no PostgreSQL: not installed",
    }


def test_without_chromium_the_journeys_are_named_as_missing() -> None:
    missing = [
        part.name
        for part in parts_of_a_whole_run(browser="not installed")
        if part.obstacle
    ]
    assert missing == ["browser on PostgreSQL", "browser on SQLite"]


def test_no_installation_can_be_touched_by_the_tests(tmp_path: Path) -> None:
    environ = testing.plain_environment(
        {
            "PATH": "/bin",
            "DATABASE_URL": "postgres://precious",
            "DATABASE_URL_FILE": "/etc/precious",
            "WORKBENCH_DATA_DIR": "/srv/precious",
            "WORKBENCH_SECRET_KEY": "precious",
            "WORKBENCH_CORPUS": "/corpus",
        },
        tmp_path,
    )
    assert not [value for value in environ.values() if "precious" in value]
    assert environ["WORKBENCH_CORPUS"] == "/corpus"
    assert environ["WORKBENCH_DATA_DIR"] == str(tmp_path)
    assert environ["PATH"] == "/bin"


def test_a_program_is_compiled_once_a_run_also_where_the_tree_shall_stay_clean(
    tmp_path: Path,
) -> None:
    environ = testing.plain_environment({"PYTHONDONTWRITEBYTECODE": "1"}, tmp_path)
    assert "PYTHONDONTWRITEBYTECODE" not in environ
    assert Path(environ["PYTHONPYCACHEPREFIX"]).is_relative_to(tmp_path)
    assert "PYTHONPYCACHEPREFIX" not in testing.plain_environment({}, tmp_path)


@pytest.mark.parametrize(
    ("words", "quick", "rest"),
    [
        ([], False, []),
        (["--quick"], True, []),
        (
            ["tests/setup", "-k", "slot", "-x"],
            False,
            ["tests/setup", "-k", "slot", "-x"],
        ),
    ],
)
def test_what_is_not_ours_goes_to_pytest(
    words: list[str], quick: bool, rest: list[str]
) -> None:
    options, handed_on = testing.parse(words)
    assert (options.quick, handed_on) == (quick, rest)
