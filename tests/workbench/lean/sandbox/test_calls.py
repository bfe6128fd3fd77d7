from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from tests.workbench.lean.builds import environment_of
from workbench.lean.closure import closure_of
from workbench.lean.pocket.toolchain import PocketToolchain, find_wheel
from workbench.lean.replay import Call, LeanKernel
from workbench.lean.replay_plan import plan_replay
from workbench.lean.sandbox.box import Box, BoxBroken, Ended, Limits, Sandbox
from workbench.lean.sandbox.calls import Boxed


def call(tmp_path: Path, code: str, seconds: float = 60.0) -> Call:
    words = (sys.executable, "-c", code)
    return Call(words, (), tmp_path, {"SEEN": "yes"}, seconds, 1000)


def test_a_call_is_run_in_a_box(sandbox: Sandbox, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("x")
    code = f"import os; print(os.environ['SEEN'])\ntry: open({str(tmp_path / 'secret')!r})\nexcept OSError: print('refused')"
    ended = Boxed(sandbox)(call(tmp_path, code))
    assert (ended.code, ended.output, ended.stopped) == (0, b"yes\nrefused\n", "")


def test_its_limits_are_kept(sandbox: Sandbox, tmp_path: Path) -> None:
    slow = Boxed(sandbox)(call(tmp_path, "import time; time.sleep(300)", seconds=1))
    assert slow.stopped == "time"
    loud = Boxed(sandbox)(call(tmp_path, "while True: print('x')"))
    assert (loud.stopped, len(loud.output)) == ("output", 1000)
    greedy = "kept = []\nwhile True: kept.append(b'x' * (1 << 22))"
    fat = Boxed(sandbox, Limits(memory_mib=100))(call(tmp_path, greedy))
    assert fat.stopped == "memory"


class Broken:
    """Stands in for a sandbox that cannot make a box."""

    name, words = "broken", "broken"
    versions: Mapping[str, str] = {}

    def run(self, box: Box, cancel: Callable[[], bool] | None = None) -> Ended:
        raise BoxBroken("no kernel")


def test_a_box_that_cannot_be_made_is_no_answer(tmp_path: Path) -> None:
    ended = Boxed(Broken())(call(tmp_path, "pass"))
    assert (ended.code, ended.output) == (125, b"no kernel")


@pytest.mark.lean
def test_the_kernel_answers_from_a_box(
    sandbox: Sandbox, pocket: PocketToolchain, tmp_path: Path
) -> None:
    text = "theorem two (n : Nat) : n + 0 = n ∧ 1 + 1 = 2 := ⟨rfl, rfl⟩\n"
    environment = environment_of(pocket, {"M": text}, tmp_path)
    kernel = LeanKernel(find_wheel().library, "pocket", run=Boxed(sandbox))
    replay = kernel.replay(plan_replay(environment, [("two",)]))
    assert replay.declined == ""
    assert replay.confirms(closure_of(environment, ("two",)))


@pytest.mark.lean
def test_a_kernel_without_a_box_declines(
    pocket: PocketToolchain, tmp_path: Path
) -> None:
    environment = environment_of(pocket, {"M": "theorem t : 1 = 1 := rfl\n"}, tmp_path)
    kernel = LeanKernel(find_wheel().library, "pocket", run=Boxed(Broken()))
    replay = kernel.replay(plan_replay(environment, [("t",)]))
    assert replay.declined == "the kernel process ended with code 125: no kernel"
