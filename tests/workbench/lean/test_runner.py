from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from workbench.lean import runner


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-I", "-S", runner.__file__, *arguments],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_it_asks_for_a_library() -> None:
    ended = run()
    assert ended.returncode == runner.WRONG_USE
    assert "path of the Lean library" in ended.stderr


@pytest.mark.parametrize("limit", ["stack=1", "cpu", "cpu=-1", "cpu=1.5", ""])
def test_it_refuses_a_limit_it_does_not_know(limit: str) -> None:
    ended = run("--limit", limit, "library")
    assert ended.returncode == runner.WRONG_USE
    assert "expected NAME=NUMBER" in ended.stderr


def test_a_limit_without_a_value_is_wrong_use() -> None:
    assert run("--limit").returncode == runner.WRONG_USE


def test_it_names_a_library_that_is_not_there(tmp_path: Path) -> None:
    ended = run(str(tmp_path / "missing.so"))
    assert ended.returncode == runner.NO_LIBRARY
    assert "missing.so" in ended.stderr


def test_it_names_a_library_that_is_no_lean() -> None:
    ended = run("libm.so.6")
    assert ended.returncode == runner.NO_LIBRARY
    assert "libm.so.6 exports no lean_main" in ended.stderr


def test_it_imports_nothing_of_the_project() -> None:
    code = (
        f"import runpy, sys; runpy.run_path({runner.__file__!r}, run_name='other');"
        "print(sorted(name for name in sys.modules if name.split('.')[0] in ('workbench', 'django')))"
    )
    ended = subprocess.run(
        [sys.executable, "-I", "-S", "-c", code],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert ended.stdout.strip() == "[]"
