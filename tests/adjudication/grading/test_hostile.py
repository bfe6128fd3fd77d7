"""Submissions whose code does harm while it is compiled, graded for real in every sandbox of this machine.

The rules on text void all of them, so here the rules are blind: what is tried is what the boxes hold. `extern` makes Lean's
interpreter call the native function with the name of the declaration, so a few lines of pocket Lean write files and start
programs; without a box they do, which is tried first. Elaborators and macros cannot be written in pocket Lean.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from adjudication.grading import checking
from adjudication.grading.boxes import boxed
from adjudication.grading.canaries import ground
from adjudication.grading.canaries.canary import (
    DOUBLE,
    REFERENCE,
    Canary,
    SlotKey,
    code,
    proof,
)
from adjudication.grading.canaries.run import Answer, run_one
from adjudication.grading.grader import Grader
from adjudication.grading.outcomes import Outcome
from workbench.lean.sandbox.choose import choose
from workbench.lean.toolchain import Limits

pytestmark = pytest.mark.lean

# By which a process that a submission started is known: more seconds to sleep.
MARK = f"0.000{os.getpid()}"
LIMITS = Limits(memory_mib=600, file_bytes=1 << 20)
_TWICE = "def twice : Nat → String → String\n  | 0, s => s\n  | n + 1, s => twice n (s ++ s)\n"
# What the program of a submission does, what becomes of its spec, and the reason. Nothing of it needs a forbidden word.
EXCESS: Mapping[str, tuple[str, Outcome, str]] = {
    "eats memory": (
        f'{_TWICE}#guard (twice 36 "x").length = 1',
        "declined",
        "limit: memory",
    ),
    "prints gigabytes": (
        f'def s : String := "{"x" * 500_000}"\n' + "#print s\n" * 500,
        "declined",
        "limit: output",
    ),
    "makes a huge module": (
        f'def s : String := "{"x" * (1 << 20)}"',
        "declined",
        "limit: file",
    ),
    "ends its process": (
        '@[extern "x"] def _root_.IO.Process.exit (_ : Nat) (_ : UInt8) (_ : Nat) : Nat := 0\n#guard IO.Process.exit 0 0 0 = 1',
        "build_error",
        "ended with code 0 and wrote no module",
    ),
    "crashes it": (
        '@[extern "x"] def _root_.IO.FS.Handle.flush (_ : Nat) (_ : Nat) : Nat := 0\n#guard IO.FS.Handle.flush 5 0 = 1',
        "build_error",
        "ended by SIGSEGV",
    ),
    # Last, when the instance's own modules are in the cache: it has little time.
    "never ends": (
        "partial def spin (n : Nat) : Bool := spin (n + 1)\n#guard spin 0",
        "declined",
        "limit: time",
    ),
}
_NATIVE = """@[extern "x"] def _root_.IO.FS.createDir (_ : String) (_ : Nat) : Nat := 0
@[extern "x"] def _root_.IO.FS.writeFile (_ : String) (_ : String) (_ : Nat) : Nat := 0
inductive Stdio where
  | piped
  | inherit
  | null
structure StdioConfig where
  stdin : Stdio
  stdout : Stdio
  stderr : Stdio
structure SpawnArgs extends StdioConfig where
  cmd : String
  args : Array String
  cwd : Option String
  env : Array (String × Option String)
  inheritEnv : Bool
  setsid : Bool
@[extern "x"] def _root_.IO.Process.spawn (_ : SpawnArgs) (_ : Nat) : Nat := 0
"""

# What runs when a frozen module above the implementation is compiled.
INITIALISER = """@[extern "x"] def _root_.IO.FS.createDir (_ : String) (_ : Nat) : Nat := 0
def _root_.IO (α : Type) : Type := Nat → α
@[noinline] def start : IO Nat := fun w => IO.FS.createDir "{folder}/begun" w
@[init start] opaque counter : Nat"""


def program(folder: Path) -> str:
    """Return a slot that makes a folder, writes files outside its own, and starts a process that would outlive it."""
    text = _NATIVE + f'#guard IO.FS.createDir "{folder}/made" 0 != 17 || true\n'
    targets = (f"{folder}/written", "../out/Tiny/Bundle.olean", "../source/Tiny.lean", "/proc/1/oom_score_adj", "/proc/self/oom_score_adj")  # fmt: skip
    for path in targets:
        text += f'#guard IO.FS.writeFile "{path}" "1" 0 != 17 || true\n'
    words = f'cmd := "/bin/sleep", args := #["300", "{MARK}"], cwd := none, env := ⟨[]⟩, inheritEnv := true, setsid := true'
    stdio = "stdin := .null, stdout := .null, stderr := .null"
    return text + f"#guard IO.Process.spawn {{{stdio}, {words}}} 0 != 17 || true"


def in_mode(mode: str, text: str) -> dict[SlotKey, str]:
    """Return an honest solve of one spec whose implementation or whose lemmas hold `text`."""
    if mode == "proof":
        return proof("double", DOUBLE, text)
    flip = REFERENCE[ground.CORE, "code", "flip"]
    return {**REFERENCE, **code("flip", flip, text), **proof("double", DOUBLE)}


def graded(
    grader: Grader, mode: str, text: str, outcome: Outcome, seconds: float = 60
) -> Answer:
    """Return what became of `text`, which `outcome` is expected of, with `seconds` for each module."""
    bodies = in_mode(mode, text)
    limits = replace(LIMITS, seconds=seconds)
    canary = Canary("hostile", "", "", bodies, {"double": outcome}, mode=mode, limits=limits)  # fmt: skip
    return run_one(grader, canary)


def mentioning(text: str) -> list[int]:
    """Return the processes whose words have `text` in them."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal() and int(entry.name) != os.getpid():
            try:
                words = (entry / "cmdline").read_bytes()
            except OSError:
                continue
            if text.encode() in words:
                found.append(int(entry.name))
    return found


@pytest.fixture(autouse=True)
def blind(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let every rule overlook everything."""
    monkeypatch.setattr(checking, "screen", lambda body, policy=None: [])
    checking._judge_short.cache_clear()
    yield
    checking._judge_short.cache_clear()


@pytest.fixture
def scratch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where gradings of a test work."""
    made = tmp_path / "scratch"
    made.mkdir()
    monkeypatch.setenv("TMPDIR", str(made))
    monkeypatch.setattr("tempfile.tempdir", None)
    return made


def left_in(scratch: Path) -> list[str]:
    """Return what gradings left: all but the copy of our own code that kernels read, which a process keeps while it lives."""
    names = [path.name for path in scratch.iterdir()]
    return [name for name in names if not name.startswith("kernel-code-")]


def with_sandbox(grader: Grader, kind: str) -> Grader:
    chosen = choose(kind, thorough=False)
    kernels = grader.toolchain.kernels(boxed(chosen.sandbox))
    return replace(grader, sandbox=chosen, kernels=kernels)


def test_without_a_box_it_does_what_it_wants(
    grader: Grader, tmp_path: Path, scratch: Path
) -> None:
    free = with_sandbox(grader, "none")
    graded(free, "codeproof", INITIALISER.format(folder=tmp_path), "impl_broken")
    assert (tmp_path / "begun").is_dir()
    graded(free, "proof", program(tmp_path), "passed")
    started = mentioning(MARK)
    for process in started:
        os.kill(process, 9)
    assert len(started) == 1
    assert (tmp_path / "made").is_dir()
    assert (tmp_path / "written").read_text() == "1"


@pytest.mark.parametrize("kind", ["bubblewrap", "landlock"])
class TestInABox:
    def test_it_reaches_nothing_and_the_honest_part_passes(
        self, grader: Grader, tmp_path: Path, scratch: Path, kind: str
    ) -> None:
        boxes = with_sandbox(grader, kind)
        for mode in ("codeproof", "proof"):
            answer = graded(boxes, mode, program(tmp_path), "passed")
            assert answer.ok, answer.detail
        text = INITIALISER.format(folder=tmp_path)
        answer = graded(boxes, "codeproof", text, "impl_broken")
        assert answer.ok, answer.detail
        assert answer.detail.startswith("Tiny.Bundle: ")  # which is frozen
        assert sorted(path.name for path in tmp_path.iterdir()) == ["scratch"]
        assert not mentioning(MARK)
        assert not mentioning(str(tmp_path))
        assert not left_in(scratch)

    def test_too_much_of_anything_has_its_name_and_leaves_nothing(
        self, grader: Grader, tmp_path: Path, scratch: Path, kind: str
    ) -> None:
        boxes = with_sandbox(grader, kind)
        for name, (text, outcome, reason) in EXCESS.items():
            # Only one of them is to run out of time, however busy the machine is.
            seconds = 3 if reason == "limit: time" else 60
            answer = graded(boxes, "proof", text, outcome, seconds)
            assert answer.got == {"double": outcome}, (name, answer.detail)
            assert reason in answer.detail, name
            assert not mentioning(str(scratch)), name
            assert not left_in(scratch), name
        text, _, reason = EXCESS["crashes it"]
        answer = graded(boxes, "codeproof", text, "impl_broken")
        assert answer.ok
        assert reason in answer.detail
        # The next one is graded as if nothing had been.
        assert graded(boxes, "proof", "theorem t : True := trivial", "passed").ok
