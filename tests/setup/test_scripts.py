"""The scripts in bin/, run as a person runs them."""

from __future__ import annotations

import ast
import os
import subprocess
from pathlib import Path

import pytest

from workbench.setup.places import ROOT

SCRIPTS = ("up", "test", "workbench")


def old_python(folder: Path) -> Path:
    """A double of a Python that is too old: every probe of its version fails."""
    double = folder / "python3"
    double.write_text(
        '#!/bin/sh\n[ "$1" = --version ] && echo "Python 3.9.2" && exit 0\nexit 1\n'
    )
    double.chmod(0o755)
    return double


@pytest.mark.parametrize("name", SCRIPTS)
def test_a_script_is_executable_and_plain_sh(name: str) -> None:
    script = ROOT / "bin" / name
    assert os.access(script, os.X_OK)
    assert script.read_text().startswith("#!/bin/sh\n")
    subprocess.run(["/bin/sh", "-n", script], check=True)


def test_the_build_server_runs_bin_test_and_nothing_cleverer() -> None:
    lines = [
        line
        for line in (ROOT / ".ci" / "run").read_text().splitlines()
        if line and line[0] != "#"
    ]
    assert lines == ['exec "$(dirname "$0")/../bin/test"']
    assert os.access(ROOT / ".ci" / "run", os.X_OK)


@pytest.mark.parametrize("name", ["up", "test"])
def test_an_old_python_gives_a_sentence(name: str, tmp_path: Path) -> None:
    old_python(tmp_path)
    environ = {"PATH": f"{tmp_path}:/nowhere", "HOME": str(tmp_path)}
    for program in ("dirname", "readlink"):
        (tmp_path / program).symlink_to(f"/usr/bin/{program}")
    done = subprocess.run(
        ["/bin/sh", ROOT / "bin" / name], env=environ, capture_output=True, text=True
    )
    assert done.returncode == 2
    assert (
        "Python 3.11 or newer is needed, and this machine has Python 3.9.2"
        in done.stderr
    )
    assert "Traceback" not in done.stderr


def test_a_python_named_wrongly_gives_a_sentence(tmp_path: Path) -> None:
    environ = os.environ | {"PYTHON": str(old_python(tmp_path))}
    done = subprocess.run(
        [ROOT / "bin" / "up"], env=environ, capture_output=True, text=True
    )
    assert done.returncode == 2
    assert (
        f"PYTHON names {tmp_path}/python3, which is not a Python of version 3.11"
        in done.stderr
    )


def test_what_starts_everything_can_be_read_by_old_pythons() -> None:
    ast.parse((ROOT / "bin" / "run.py").read_text(), feature_version=(3, 6))
    assert (
        "from __future__ import annotations"
        not in (ROOT / "bin" / "run.py").read_text()
    )


def test_a_script_works_through_a_link_and_from_any_folder(tmp_path: Path) -> None:
    (tmp_path / "up").symlink_to(ROOT / "bin" / "up")
    done = subprocess.run(
        [tmp_path / "up", "--help"], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert "usage: bin/up" in done.stdout
