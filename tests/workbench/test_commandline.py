"""bin/workbench, run as a script runs it: exit codes, words, JSON."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from workbench.commandline import Unknown, command_named, product_commands
from workbench.setup.places import ROOT


@pytest.fixture
def run(tmp_path: Path):
    """Return a function that runs a command line on a fresh data folder."""

    def run_command(*words: str, **environ: str) -> subprocess.CompletedProcess[str]:
        plain = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("WORKBENCH_", "DATABASE_"))
        }
        plain |= {
            "WORKBENCH_DATA_DIR": str(tmp_path / "var"),
            "DJANGO_SETTINGS_MODULE": "workbench.settings",
        }
        words_of_python = [
            sys.executable,
            str(ROOT / "bin" / "run.py"),
            "workbench.commandline",
        ]
        return subprocess.run(
            [*words_of_python, *words],
            env=plain | environ,
            cwd=tmp_path,
            capture_output=True,
            text=True,
        )

    return run_command


def test_help_lists_every_command(run) -> None:
    done = run("help")
    assert done.returncode == 0
    assert {
        line.split()[0] for line in done.stdout.splitlines() if line.startswith("  ")
    } == set(product_commands())


def test_no_command_at_all_is_help(run) -> None:
    assert run().stdout == run("help").stdout


def test_help_of_a_command_tells_its_arguments_and_none_of_djangos(run) -> None:
    done = run("help", "doctor")
    assert done.returncode == 0
    assert "--json" in done.stdout
    assert "--pythonpath" not in done.stdout


@pytest.mark.parametrize("words", [["docter"], ["help", "docter"]])
def test_a_mistyped_command_names_the_nearest(run, words: list[str]) -> None:
    done = run(*words)
    assert done.returncode == 2
    assert "there is no command 'docter'. Did you mean doctor" in done.stderr


@pytest.mark.parametrize(
    "name", ["migrate", "runserver", "upgrade_database", "../x", ""]
)
def test_only_product_commands_by_their_dashed_names_are_known(name: str) -> None:
    with pytest.raises(Unknown, match="there is no command"):
        command_named(name)


def test_a_wrong_argument_is_exit_code_2_with_the_usage(run) -> None:
    done = run("doctor", "--no-such")
    assert done.returncode == 2
    assert "unrecognized arguments: --no-such" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_bad_setting_is_named_in_words_and_in_json(run) -> None:
    done = run("doctor", "--json", WORKBENCH_TIME_ZONE="Mars/Base")
    assert done.returncode == 2
    assert json.loads(done.stdout)["error"].startswith(
        "WORKBENCH_TIME_ZONE is 'Mars/Base'"
    )
    assert "Traceback" not in done.stderr


def test_a_database_that_does_not_answer_is_one_sentence(run) -> None:
    done = run(
        "verify-events", "--json", DATABASE_URL="postgres://u:secret@127.0.0.1:9/x"
    )
    assert done.returncode == 2
    assert json.loads(done.stdout)["error"].startswith(
        "cannot reach PostgreSQL at 127.0.0.1:9/x"
    )
    assert "secret" not in done.stdout + done.stderr
    assert "Traceback" not in done.stderr


def test_a_receipt_is_checked_where_there_is_no_database(run, tmp_path: Path) -> None:
    (tmp_path / "r.json").write_text("{}")
    done = run(
        "verify-receipt",
        str(tmp_path / "r.json"),
        "--json",
        DATABASE_URL="postgres://u:secret@127.0.0.1:9/x",
    )
    assert done.returncode == 1, done.stderr
    assert json.loads(done.stdout)["ok"] is False


def test_the_first_command_of_all_makes_the_embedded_database(
    run, tmp_path: Path
) -> None:
    done = run("create-admin", "ada", "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["name"] == "ada"
    assert "making the database" in done.stderr
    assert json.loads(run("upgrade-database", "--json").stdout)["applied"] == []


def test_an_old_database_says_how_to_upgrade_it(run, tmp_path: Path) -> None:
    (tmp_path / "var").mkdir()
    (tmp_path / "var" / "workbench.sqlite3").touch()
    done = run("create-admin", "ada")
    assert done.returncode == 2
    assert (
        "lacks tables of this version. Run: bin/workbench upgrade-database"
        in done.stderr
    )


def test_upgrading_says_what_it_did_and_may_be_repeated(run) -> None:
    first, second = (
        json.loads(run("upgrade-database", "--json").stdout) for _ in range(2)
    )
    assert first["database"] == "SQLite"
    assert "access.0001_initial" in first["applied"]
    assert second["applied"] == []


def test_a_fault_of_the_program_leaves_its_traceback_in_a_file(
    run, tmp_path: Path
) -> None:
    broken = (
        tmp_path / "broken"
    )  # a double of a module whose import fails inside the program
    broken.mkdir()
    (broken / "sitecustomize.py").write_text(
        "import sys\nclass Refuse:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name == 'workbench.databases': raise RuntimeError('planted')\n"
        "sys.meta_path.insert(0, Refuse())\n"
    )
    done = run("doctor", "--json", PYTHONPATH=str(broken))
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    assert "RuntimeError: planted" in json.loads(done.stdout)["error"]
    (log,) = (tmp_path / "var" / "logs").iterdir()
    assert "Traceback" in log.read_text()


def test_a_reader_that_goes_away_is_no_error(run, tmp_path: Path) -> None:
    environ = os.environ | {
        "WORKBENCH_DATA_DIR": str(tmp_path),
        "DJANGO_SETTINGS_MODULE": "workbench.settings",
    }
    words = [
        sys.executable,
        str(ROOT / "bin" / "run.py"),
        "workbench.commandline",
        "help",
    ]
    with subprocess.Popen(
        words, env=environ, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as child:
        assert child.stdout is not None
        assert child.stderr is not None
        child.stdout.close()
        assert child.stderr.read() == b""
    assert child.returncode == 128 + signal.SIGPIPE


def test_an_unexpected_interruption_is_130(run, tmp_path: Path) -> None:
    environ = os.environ | {
        "WORKBENCH_DATA_DIR": str(tmp_path),
        "DJANGO_SETTINGS_MODULE": "workbench.settings",
    }
    code = "import sys; from workbench import commandline\ndef stop(words): raise KeyboardInterrupt\n"
    code += "commandline._main = stop; sys.exit(commandline.main([]))"
    done = subprocess.run(
        [sys.executable, "-c", code], env=environ, cwd=ROOT, capture_output=True
    )
    assert (done.returncode, done.stderr) == (130, b"")
