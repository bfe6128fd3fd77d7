from __future__ import annotations

import sqlite3
import sys
from pathlib import Path

import pytest

from workbench.setup import demo
from workbench.setup.words import Problem


@pytest.fixture
def database(tmp_path: Path) -> Path:
    """A data folder's database with one row, whose write-ahead log is still open."""
    path = tmp_path / demo.SQLITE_NAME
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("CREATE TABLE kept (word TEXT)")
    connection.execute("INSERT INTO kept VALUES ('precious')")
    connection.commit()
    path.with_name(path.name + "-wal").touch()
    connection.close()
    return path


def speaking_python(folder: Path, text: str, code: int = 0) -> Path:
    """A double of the interpreter that runs seed-demo: prints `text`, ends with `code`."""
    double = folder / "python"
    double.write_text(f"#!/bin/sh\ncat <<'END'\n{text}\nEND\nexit {code}\n")
    double.chmod(0o755)
    return double


def test_seeding_returns_the_accounts(tmp_path: Path) -> None:
    python = speaking_python(
        tmp_path,
        '{"accounts": [{"name": "ada", "role": "curator", "password": "x", "id": 3}]}',
    )
    assert demo.seed(python, {}) == [
        {"name": "ada", "role": "curator", "password": "x"}
    ]


def test_seeding_that_fails_says_how_to_start_without_it(tmp_path: Path) -> None:
    python = speaking_python(tmp_path, '{"error": "the tables are missing"}', code=2)
    with pytest.raises(
        Problem, match=r"bin/up --no-demo starts without it\. the tables are missing"
    ):
        demo.seed(python, {})


def test_seeding_that_says_nothing_readable_is_no_traceback(tmp_path: Path) -> None:
    with pytest.raises(Problem, match="could not be seeded"):
        demo.seed(speaking_python(tmp_path, "Traceback", code=1), {})


def test_the_table_has_one_line_an_account() -> None:
    accounts = [
        {"name": "ada", "role": "curator", "password": "one"},
        {"name": "grace", "role": "admin", "password": "two"},
    ]
    assert demo.table_of(accounts) == [
        "  role     log-in name  password",
        "  curator  ada          one",
        "  admin    grace        two",
    ]
    assert demo.table_of([]) == []


def test_starting_over_keeps_the_old_database(database: Path) -> None:
    demo.set_aside(database.parent, {}, agreed=True)
    assert not database.exists()
    (kept,) = database.parent.glob("set-aside-*.sqlite3")
    assert sqlite3.connect(kept).execute("SELECT word FROM kept").fetchall() == [
        ("precious",)
    ]


def test_starting_over_wants_a_yes(
    database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", open("/dev/null"))  # noqa: SIM115  # closed with the test process
    with pytest.raises(Problem, match="Say it with --yes"):
        demo.set_aside(database.parent, {}, agreed=False)
    assert database.exists()


@pytest.mark.parametrize(
    ("answer", "goes"), [("yes\n", True), ("y\n", False), ("\n", False), ("", False)]
)
def test_only_the_whole_word_starts_over(
    database: Path, monkeypatch: pytest.MonkeyPatch, answer: str, goes: bool
) -> None:
    class Terminal:
        def isatty(self) -> bool:
            return True

        def readline(self) -> str:
            return answer

    monkeypatch.setattr(sys, "stdin", Terminal())
    if goes:
        demo.set_aside(database.parent, {}, agreed=False)
    else:
        with pytest.raises(Problem, match="nothing was changed"):
            demo.set_aside(database.parent, {}, agreed=False)
    assert database.exists() is not goes


def test_a_database_of_ones_own_is_never_touched(database: Path) -> None:
    with pytest.raises(Problem, match="DATABASE_URL names another one"):
        demo.set_aside(
            database.parent,
            {"DATABASE_URL": "postgres://somewhere/precious"},
            agreed=True,
        )
    assert database.exists()


def test_there_may_be_nothing_to_reset(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    demo.set_aside(tmp_path, {}, agreed=True)
    assert "nothing to reset" in capsys.readouterr().out
