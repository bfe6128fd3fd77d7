from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from workbench.setup.locks import Taken, sole, waiting_turn
from workbench.setup.places import ROOT

HOLD = """
import sys
from pathlib import Path
from workbench.setup.locks import sole
with sole(Path(sys.argv[1]), "somebody else"):
    print("held", flush=True)
    sys.stdin.read()
"""


def test_a_second_holder_is_told_what_the_first_one_wrote(tmp_path: Path) -> None:
    with (
        sole(tmp_path / "lock", "the first"),
        pytest.raises(Taken, match="the first"),
        sole(tmp_path / "lock", "x"),
    ):
        pass


def test_the_lock_can_be_taken_again_after_it_was_let_go(tmp_path: Path) -> None:
    with sole(tmp_path / "lock", "one"):
        pass
    with sole(tmp_path / "lock", "two"):
        assert (tmp_path / "lock").read_text() == "two"
    assert (tmp_path / "lock").read_text() == ""


def test_a_killed_holder_holds_nothing(tmp_path: Path) -> None:
    words = [sys.executable, "-c", HOLD, str(tmp_path / "lock")]
    with subprocess.Popen(
        words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=ROOT
    ) as holder:
        assert holder.stdout is not None
        holder.stdout.readline()
        with pytest.raises(Taken, match="somebody else"), sole(tmp_path / "lock", "x"):
            pass
        holder.kill()
    with sole(tmp_path / "lock", "x"):
        pass


def test_waiting_for_a_turn_writes_nothing(tmp_path: Path) -> None:
    with waiting_turn(tmp_path):
        assert list(tmp_path.iterdir()) == []
