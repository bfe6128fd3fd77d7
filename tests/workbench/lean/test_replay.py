"""Replay through the kernel of pocket Lean: honest closures pass, forgeries that a compiler or a file let through do not."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from tests.workbench.lean import made
from tests.workbench.lean.builds import core_library, environment_of, library_of
from workbench.lean.child import Ended
from workbench.lean.closure import closure_of
from workbench.lean.constants import (
    Constant,
    ConstructorData,
    InductiveData,
    RecursorData,
)
from workbench.lean.library import Environment, Library
from workbench.lean.names import Name
from workbench.lean.pocket.toolchain import PocketToolchain, find_wheel
from workbench.lean.replay import Call, LeanKernel, Replay, run_unboxed
from workbench.lean.replay_plan import Plan, plan_replay

pytestmark = pytest.mark.lean

TEXT = """
theorem add_zero' (n : Nat) : n + 0 = n ∧ "ab".length = 2 := ⟨by simp, by decide⟩
theorem ext' (f g : Nat → Nat) (h : ∀ x, f x = g x) : f = g := funext h
inductive Tree where
  | node (v : Nat) (cs : List Tree)
def Tree.v : Tree → Nat
  | .node v _ => v
theorem tree (t : Tree) : t.v = t.v := rfl
theorem cased (t : Tree) : ∃ v cs, t = .node v cs := by cases t; exact ⟨_, _, rfl⟩
mutual
inductive Even : Nat → Prop where
  | zero : Even 0
  | succ (n : Nat) (h : Odd n) : Even (n + 1)
inductive Odd : Nat → Prop where
  | succ (n : Nat) (h : Even n) : Odd (n + 1)
end
theorem odd : Odd 1 := .succ 0 .zero
"""


def kernel(**more: object) -> LeanKernel:
    return LeanKernel(find_wheel().library, "pocket", **more)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def environment(
    pocket: PocketToolchain, tmp_path_factory: pytest.TempPathFactory
) -> Environment:
    return environment_of(pocket, {"M": TEXT}, tmp_path_factory.mktemp("replay"))


def forged(
    pocket: PocketToolchain,
    constants: list[Constant],
    imports: Sequence[str] = ("Pocket",),
) -> Environment:
    """A module with made constants over the core."""
    core = core_library(pocket)
    library = Library(core.bank, core)
    library.add(made.module_of(core.bank, "Forged", constants, imports))
    return library.environment(("Forged",))


def replayed(environment: Environment, *roots: Name) -> Replay:
    return kernel().replay(plan_replay(environment, roots))


class TestHonest:
    @pytest.mark.parametrize("name", ["add_zero'", "ext'", "tree", "cased", "odd"])
    def test_a_theorem_is_confirmed_with_everything_below_it(
        self, environment: Environment, name: str
    ) -> None:
        replay = replayed(environment, (name,))
        assert (replay.declined, dict(replay.rejected)) == ("", {})
        assert replay.confirms(closure_of(environment, (name,)))

    def test_families_recursors_and_quotients_are_compared(
        self, environment: Environment
    ) -> None:
        plan = plan_replay(environment, [("cased",), ("ext'",)])
        assert {("Tree",), ("Tree", "node"), ("Tree", "rec"), ("Quot", "lift")} <= set(
            plan.expected
        )

    def test_the_whole_core_is_accepted(self, environment: Environment) -> None:
        plan = plan_replay(environment, list(environment))
        replay = kernel().replay(plan)
        assert (replay.declined, dict(replay.rejected)) == ("", {})
        assert len(replay.accepted) > 4500
        assert all(environment.find(name).safety != "safe" for name in plan.left_out)  # type: ignore[union-attr]

    def test_what_was_not_replayed_is_not_confirmed(
        self, environment: Environment
    ) -> None:
        replay = replayed(environment, ("tree",))
        assert not replay.confirms(closure_of(environment, ("odd",)))


class TestForgeries:
    def test_a_proof_that_lean_was_told_not_to_check_is_rejected(
        self, pocket: PocketToolchain, tmp_path: Path
    ) -> None:
        environment = forged(
            pocket,
            [
                Constant(
                    ("bad",),
                    "theorem",
                    (),
                    core_library(pocket).bank.const(("False",)),
                    core_library(pocket).bank.const(("True", "intro")),
                    all=(("bad",),),
                )
            ],
        )
        replay = replayed(environment, ("bad",))
        assert list(replay.rejected) == [("bad",)]
        assert not replay.confirms(closure_of(environment, ("bad",)))

    def test_what_uses_a_rejected_theorem_is_rejected_and_the_rest_accepted(
        self, pocket: PocketToolchain
    ) -> None:
        bank = core_library(pocket).bank
        false, true = bank.const(("False",)), bank.const(("True",))
        intro = bank.const(("True", "intro"))
        constants = [
            Constant(("bad",), "theorem", (), false, intro),
            Constant(("above",), "theorem", (), false, bank.const(("bad",))),
            Constant(("good",), "theorem", (), true, intro),
        ]
        replay = replayed(forged(pocket, constants), ("above",), ("good",))
        assert set(replay.rejected) == {("bad",), ("above",)}
        assert ("good",) in replay.accepted

    def test_a_definition_that_is_no_proposition_is_no_theorem(
        self, pocket: PocketToolchain
    ) -> None:
        bank = core_library(pocket).bank
        constants = [
            Constant(
                ("t",), "theorem", (), bank.const(("Nat",)), bank.const(("Nat", "zero"))
            )
        ]
        assert (
            "proposition"
            in replayed(forged(pocket, constants), ("t",)).rejected[("t",)]
        )

    def test_a_definition_by_way_of_itself_is_rejected(
        self, pocket: PocketToolchain
    ) -> None:
        bank = core_library(pocket).bank
        constants = [
            Constant(("t",), "theorem", (), bank.const(("False",)), bank.const(("t",)))
        ]
        assert ("t",) in replayed(forged(pocket, constants), ("t",)).rejected

    def family(self, environment: Environment) -> dict[Name, Constant]:
        names = [("Tree",), ("Tree", "node"), ("Tree", "rec"), ("Tree", "rec_1")]
        return {name: environment.find(name) for name in names}  # type: ignore[misc]

    @pytest.mark.parametrize(
        "change", ["type of recursor", "rule", "k", "constructor fields", "flag"]
    )
    def test_data_that_the_kernel_makes_otherwise_are_found(
        self, pocket: PocketToolchain, environment: Environment, change: str
    ) -> None:
        family = self.family(environment)
        bank = environment.bank
        rec, node, tree = (
            family[("Tree", "rec")],
            family[("Tree", "node")],
            family[("Tree",)],
        )
        assert isinstance(rec.data, RecursorData)
        assert isinstance(node.data, ConstructorData)
        assert isinstance(tree.data, InductiveData)
        rule = rec.data.rules[0]
        victim = {
            "type of recursor": replace(rec, type=bank.const(("False",))),
            "rule": replace(
                rec,
                data=replace(
                    rec.data, rules=(replace(rule, right=bank.const(("Nat", "zero"))),)
                ),
            ),
            "k": replace(rec, data=replace(rec.data, k=True)),
            "constructor fields": replace(node, data=replace(node.data, fields=1)),
            "flag": replace(tree, data=replace(tree.data, reflexive=True)),
        }[change]
        made_of = list({**family, victim.name: victim}.values())
        environment = forged(pocket, made_of)
        replay = replayed(environment, ("Tree", "rec"))
        assert dict(replay.rejected) == {victim.name: "the kernel makes it differently"}

    def test_both_proofs_of_a_shared_theorem_are_checked(
        self, pocket: PocketToolchain
    ) -> None:
        core = core_library(pocket)
        bank = core.bank
        false = bank.const(("False",))
        library = Library(bank, core)
        axiom = Constant(("a",), "axiom", (), false)
        honest = Constant(("t",), "theorem", (), false, bank.const(("a",)))
        bad = replace(honest, value=bank.const(("True", "intro")))
        library.add(made.module_of(bank, "Base", [axiom], ["Pocket"]))
        library.add(made.module_of(bank, "A", [honest], ["Base"]))
        library.add(made.module_of(bank, "B", [bad], ["Base"]))
        library.add(made.module_of(bank, "C", [], ["A", "B"]))
        replay = replayed(library.environment(("C",)), ("t",))
        assert ("t",) in replay.rejected

    def test_partial_and_unsafe_constants_are_left_out_and_their_users_rejected(
        self, pocket: PocketToolchain, tmp_path: Path
    ) -> None:
        library = library_of(
            pocket,
            {"M": "unsafe def u : Nat := 1\nunsafe def v : Nat := u\n"},
            tmp_path,
        )
        plan = plan_replay(library.environment(("M",)), [("v",)])
        assert plan.left_out == {("u",), ("v",)}


class TestTrouble:
    """The process is replaced by others: doubles for a kernel that crashes, hangs or is impersonated."""

    @pytest.fixture
    def plan(self, environment: Environment) -> Plan:
        return plan_replay(environment, [("tree",)])

    def replaced(self, plan: Plan, script: str, **more: object) -> Replay:
        def run(call: Call) -> Ended:
            words = [sys.executable, "-c", script, *call.argv]
            return run_unboxed(replace(call, argv=words))

        return kernel(run=run, **more).replay(plan)

    def test_a_crash_is_declined(self, plan: Plan) -> None:
        replay = self.replaced(
            plan, "import os, signal; os.kill(os.getpid(), signal.SIGSEGV)"
        )
        assert "ended with code -11" in replay.declined
        assert not replay.accepted

    def test_a_kernel_that_does_not_end_is_declined(self, plan: Plan) -> None:
        replay = self.replaced(plan, "import time; time.sleep(60)", seconds=0.3)
        assert "stopped: time" in replay.declined

    def test_an_answer_that_is_cut_in_its_middle_is_declined(self, plan: Plan) -> None:
        script = "import sys; print(sys.argv[-1], '{' + '\"reason\"' * 9999)"
        assert (
            "stopped: output" in self.replaced(plan, script, output_bytes=99).declined
        )
        assert "no complete" in self.replaced(plan, script).declined

    def test_an_answer_without_the_nonce_is_no_answer(self, plan: Plan) -> None:
        done = f'{{"done": [{len(plan.steps)}, {len(plan.expected)}]}}'
        replay = self.replaced(plan, f"print('0' * 32, '{done}')")
        assert replay.declined == "the kernel process gave no complete answer"

    def test_an_answer_about_another_number_of_steps_is_no_answer(
        self, plan: Plan
    ) -> None:
        replay = self.replaced(
            plan, "import sys; print(sys.argv[-1], '{\"done\": [1, 1]}')"
        )
        assert replay.declined == "the kernel process gave no complete answer"

    def test_it_can_be_run_elsewhere_and_says_what_it_reads(self, plan: Plan) -> None:
        seen: list[Path] = []

        def run(call: Call) -> Ended:
            seen.extend(call.readable)
            return run_unboxed(call)

        assert not kernel(run=run).replay(plan).declined
        assert find_wheel().library.parent in seen
