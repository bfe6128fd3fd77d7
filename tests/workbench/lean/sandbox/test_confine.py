from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.lean.sandbox import confine
from workbench.lean.sandbox.confine import Broken, Order, command, parse
from workbench.lean.sandbox.system import SCRIPT, interpreter

WORD = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]))
NAME = st.text("ABCDEFGHIJ_", min_size=1)


@given(
    program=st.lists(WORD, min_size=1),
    parent=st.integers(0, 1 << 22),
    status=st.integers(-1, 99),
    role=st.sampled_from(["self", "first", "maker"]),
    folder=WORD,
    limits=st.dictionaries(st.sampled_from(list(confine.RESOURCES)), st.integers(0)),
    landlock=st.integers(0, 9),
    readable=st.lists(WORD),
    writable=st.lists(WORD),
    filter=st.binary().map(bytes.hex),
    env=st.dictionaries(NAME, WORD),
)
def test_the_words_are_read_back_as_they_were_meant(**fields: Any) -> None:
    order = Order(**fields)
    words = command("python", "confine.py", order)
    assert words[:4] == ["python", "-I", "-S", "confine.py"]
    assert vars(parse(words[4:])) == vars(order)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "no program after --"),
        (["--parent", "1", "--"], "no program after --"),
        (["--parent", "1"], "no program after --"),
        (["--speed", "9", "--", "x"], "--speed is no switch"),
        (["--parent", "x", "--", "x"], "--parent x: expected a number"),
        (["--limit", "as", "--", "x"], "--limit as: expected a number"),
    ],
)
def test_words_without_sense_are_refused(words: list[str], message: str) -> None:
    with pytest.raises(Broken, match=message):
        parse(words)


def confined(
    tmp_path: Path, *words: str, program: tuple[str, ...] = ("/bin/true",)
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(interpreter()), "-I", "-S", str(SCRIPT), "--folder", str(tmp_path), *words, "--", *program],
        capture_output=True,
        text=True,
        check=False,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--parent", "1"), "who asked for the box has ended"),
        (("--folder", "/nowhere"), "limits: [Errno 2]"),
        (("--limit", "speed=3"), "limits: 'speed'"),
        (("--landlock", "4711"), "Landlock 4711 was asked for and the kernel has"),
        (("--landlock", "1", "--read", "/nowhere"), "Landlock: [Errno 2]"),
        (("--filter", "00" * 8), "seccomp: Invalid argument"),
    ],
)
def test_a_step_that_cannot_be_done_is_said_and_nothing_runs(
    tmp_path: Path, words: tuple[str, ...], message: str
) -> None:
    if "--landlock" in words and not confine.landlock_version():
        pytest.skip("this kernel has no Landlock")
    ended = confined(tmp_path, *words, program=("/usr/bin/touch", "ran"))
    assert ended.returncode == confine.BROKEN
    assert message in ended.stderr
    assert not (tmp_path / "ran").exists()


def test_it_says_ready_and_then_nothing_but_how_it_ended(tmp_path: Path) -> None:
    ended = confined(tmp_path, "--status", "2")
    assert (ended.returncode, ended.stderr) == (0, "ready\n")


def test_it_gives_up_every_capability(tmp_path: Path) -> None:
    if not confine.landlock_version():
        pytest.skip("this kernel has no Landlock")
    words = ["--landlock", "1", "--read", "/"]
    ended = confined(
        tmp_path, *words, program=("/bin/grep", "-E", "^(Cap|NoNew)", "/proc/self/status")
    )  # fmt: skip
    values = dict(line.split(":\t") for line in ended.stdout.splitlines())
    assert values.pop("NoNewPrivs") == "1"
    bounding = values.pop("CapBnd")
    assert set(values.values()) == {"0" * 16}
    if Path("/proc/self/status").stat().st_uid == 0 and "root" in str(Path.home()):
        assert bounding == "0" * 16


def test_it_imports_little(tmp_path: Path) -> None:
    # What would double its time to start: it runs once for every module that is compiled.
    code = (
        f"import sys; sys.argv = ['x']; exec(compile(open({str(SCRIPT)!r}).read(), 'x', 'exec'), {{'__name__': 'other'}});"
        "print(*{'dataclasses', 'typing', 're', 'json', 'subprocess', 'enum'} & set(sys.modules))"
    )
    ended = subprocess.run(
        [sys.executable, "-I", "-S", "-c", code],
        capture_output=True,
        text=True,
        check=True,
    )
    assert ended.stdout.split() == []
