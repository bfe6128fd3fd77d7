"""A kernel of another maker, which is a double here: its exit code is its answer, and whatever else happens is none."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import pytest

from tests.workbench.lean.builds import environment_of
from workbench.lean.command_kernel import BadCommand, command_kernel
from workbench.lean.pocket.toolchain import PocketToolchain
from workbench.lean.replay import Replay
from workbench.lean.replay_plan import Plan, plan_replay

DOUBLE = Path(__file__).with_name("kernel_double.py")


@pytest.fixture(scope="module")
def plan(pocket: PocketToolchain, tmp_path_factory: pytest.TempPathFactory) -> Plan:
    text = "theorem one : True := trivial\ntheorem two : True ∧ True := ⟨one, one⟩"
    folder = tmp_path_factory.mktemp("command-kernel")
    return plan_replay(environment_of(pocket, {"M": text}, folder), [("two",)])


def asked(plan: Plan, *words: str, seconds: float = 30) -> Replay:
    kernel = command_kernel(f"{sys.executable} {DOUBLE} {' '.join(words)}")
    return replace(kernel, seconds=seconds).replay(plan)


@pytest.mark.lean
class TestAnswer:
    def test_code_0_accepts_everything_that_was_asked(self, plan: Plan) -> None:
        answer = asked(plan, "accept")
        assert (answer.declined, answer.rejected) == ("", {})
        assert answer.accepted == plan.names()
        assert ("two",) in answer.accepted

    @pytest.mark.parametrize("code", ["1", "101"])
    def test_code_1_refuses_it_with_the_last_line_as_the_reason(
        self, plan: Plan, code: str
    ) -> None:
        answer = asked(plan, "one", code)
        assert (answer.declined, answer.accepted) == ("", frozenset())
        assert answer.whole
        assert answer.rejected["two",] == "I do not believe one"

    @pytest.mark.parametrize("code", ["2", "77", "126", "139"])
    def test_any_other_code_is_no_answer(self, plan: Plan, code: str) -> None:
        answer = asked(plan, "one", code)
        assert (answer.accepted, answer.rejected) == (frozenset(), {})
        assert answer.declined == f"it ended with code {code}: I do not believe one"

    def test_nor_is_silence(self, plan: Plan) -> None:
        answer = asked(plan, "hang", seconds=0.3)
        assert answer.declined == "it was stopped: time"
        assert answer.accepted == frozenset()

    def test_a_program_that_has_gone_does_not_look_like_one_that_refuses(
        self, plan: Plan, tmp_path: Path
    ) -> None:
        program = tmp_path / "kernel"
        program.write_text("")
        program.chmod(0o755)
        kernel = command_kernel(str(program))
        program.unlink()
        answer = kernel.replay(plan)
        assert answer.declined.startswith("it ended with code 126: it cannot be")
        assert not answer.rejected


class TestCommand:
    def test_words_are_split_as_a_shell_would_and_no_shell_runs(
        self, tmp_path: Path
    ) -> None:
        folder = tmp_path / "a b"
        folder.mkdir()
        kernel = command_kernel(f"{sys.executable} -c 'x; y' \"{folder}\"")
        assert kernel.words[1:] == ("-c", "x; y", str(folder))
        assert kernel.readable == (Path(sys.executable).resolve(), folder)

    def test_a_script_is_started_by_its_interpreter_as_a_box_has_no_bin_sh(
        self, tmp_path: Path
    ) -> None:
        for line in ("#!/bin/sh -u", "#!/usr/bin/env sh"):
            script = tmp_path / "kernel.sh"
            script.write_text(f"{line}\nexit 0\n")
            script.chmod(0o755)
            words = command_kernel(str(script)).words
            assert words[0] == str(Path("/bin/sh").resolve())
            assert words[-1] == str(script)

    def test_its_name_changes_with_the_program_and_with_its_files(
        self, tmp_path: Path
    ) -> None:
        settings = tmp_path / "settings.json"
        settings.write_text("{}")
        one = command_kernel(f"{sys.executable} {settings}").name
        again = command_kernel(f"{sys.executable} {settings}").name
        settings.write_text('{"lax": true}')
        other = command_kernel(f"{sys.executable} {settings}").name
        assert one == again != other
        assert one.startswith(Path(sys.executable).name)

    @pytest.mark.parametrize(
        ("command", "said"),
        [
            ("no-such-kernel --x", "'no-such-kernel' is no program here"),
            ("   ", "is no program here"),
            ("'unclosed", "No closing quotation"),
        ],
    )
    def test_words_that_are_no_program(self, command: str, said: str) -> None:
        with pytest.raises(BadCommand, match=said):
            command_kernel(command)

    def test_a_script_without_an_interpreter(self, tmp_path: Path) -> None:
        script = tmp_path / "kernel"
        script.write_text("#!/nowhere/interpreter\n")
        script.chmod(0o755)
        with pytest.raises(BadCommand, match="no interpreter"):
            command_kernel(str(script))
