"""The driver of `leanchecker`.

Two doubles, named as such: words recorded from Lean's source, and the program of leanchecker_double.py, which reads and replays by Lean's own
code. Where a `leanchecker` is on the PATH, it is asked too.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from tests.workbench.lean import made
from tests.workbench.lean.builds import core_library, environment_of
from tests.workbench.lean.elan import made as double
from workbench.lean.child import Ended, Stop
from workbench.lean.closure import closure_of
from workbench.lean.constants import Constant, ConstructorData, RecursorData
from workbench.lean.elan.checker import LeanChecker
from workbench.lean.elan.digest import header_of
from workbench.lean.library import Environment, Library
from workbench.lean.module import Module
from workbench.lean.names import Name
from workbench.lean.olean import open_image
from workbench.lean.pocket.toolchain import PocketToolchain
from workbench.lean.replay import Call
from workbench.lean.replay_plan import plan_replay
from workbench.lean.terms import CONST, Bank, Term

HEADER = b"olean\2\1" + b"4.35.0".ljust(33, b"\0") + b"f" * 40 + bytes(8)
TEXT = """
theorem add_zero' (n : Nat) : n + 0 = n ∧ "ab".length = 2 := ⟨by simp, by decide⟩
theorem ext' (f g : Nat → Nat) (h : ∀ x, f x = g x) : f = g := funext h
inductive Tree where
  | node (v : Nat) (cs : List Tree)
theorem cased (t : Tree) : ∃ v cs, t = .node v cs := by cases t; exact ⟨_, _, rfl⟩
def down : Nat → Nat
  | 0 => 0
  | n + 1 => down n
theorem lower (n : Nat) : down n = 0 := by induction n with
  | zero => rfl
  | succ n h => exact h
"""


def small() -> Environment:
    bank = Bank()
    library = Library(bank)
    library.add(made.module_of(bank, "M", made.constants(bank)))
    return library.environment(("M",))


class Recorded:
    """Double of the program: ends as it is told, and keeps the files it was given."""

    def __init__(self, verdict: Callable[[Module], tuple[int, str, Stop]]) -> None:
        self.verdict = verdict
        self.calls: list[Call] = []
        self.modules: list[Module] = []

    def __call__(self, call: Call) -> Ended:
        self.calls.append(call)
        name = call.argv[-1]
        folder = Path(call.env["LEAN_PATH"])
        assert [path.name for path in folder.iterdir()] == [f"{name}.olean"]
        module = Module((name,), open_image(folder / f"{name}.olean"), Bank())
        self.modules.append(module)
        code, words, stopped = self.verdict(module)
        return Ended(code, words.format(module=name).encode(), stopped, 0.25, 1000)


ACCEPTS = "replaying {module}\n"
REJECTS = "replaying {module}\nleanchecker found a problem in {module}\nuncaught exception: while replaying declaration 'x':\n(kernel) no\n"


def honest(module: Module) -> tuple[int, str, Stop]:
    """What the real one says to the two files of the self-test, and to all others that they are good."""
    sample = module.positions.get(("sample",))
    if sample is not None and module.bank[module.constant(sample).type][0] == CONST:
        return 1, REJECTS, ""
    return 0, ACCEPTS, ""


def checker(run: Recorded) -> LeanChecker:
    return LeanChecker(Path("/lean/bin/leanchecker"), Path("/lean"), "it", HEADER, run=run)  # fmt: skip


class TestRecorded:
    def test_it_gets_one_file_that_we_wrote_and_nothing_else_to_find(self) -> None:
        run = Recorded(honest)
        environment = small()
        replay = checker(run).replay(plan_replay(environment, [("t",)]))
        assert replay.confirms(closure_of(environment, ("t",)))
        assert (replay.kernel, replay.seconds, replay.peak_kib) == ("it", 0.75, 1000)
        call, module = run.calls[-1], run.modules[-1]
        assert call.argv == ("/lean/bin/leanchecker", "-v", module.name[0])
        assert call.readable == (call.folder, Path(call.env["LEAN_SYSROOT"]), Path("/lean"))  # fmt: skip
        assert bytes(module.image.data[:80]) == HEADER[:80]
        assert module.imports == ()
        assert set(module.names) >= {("t",), ("holds",)}

    def test_every_file_has_a_name_of_its_own(self) -> None:
        run = Recorded(honest)
        it, plan = checker(run), plan_replay(small(), [("t",)])
        it.replay(plan)
        it.replay(plan)
        assert len({module.name for module in run.modules}) == len(run.modules) == 4

    @pytest.mark.parametrize(
        ("verdict", "words", "calls"),
        [
            ((0, ACCEPTS, ""), "did not tell the forged file", 2),
            ((1, REJECTS, ""), "did not tell the honest file", 1),
            ((0, "", ""), "did not tell the honest file", 2),
            ((137, "", "memory"), "did not tell the honest file .*stopped: memory", 2),
        ],
        ids=["accepts all", "rejects all", "says nothing", "is stopped"],
    )
    def test_a_program_that_fails_the_self_test_is_never_believed(
        self, verdict: tuple[int, str, Stop], words: str, calls: int
    ) -> None:
        run = Recorded(lambda module: verdict)
        it = checker(run)
        for _ in range(2):
            replay = it.replay(plan_replay(small(), [("t",)]))
            assert (replay.accepted, dict(replay.rejected)) == (frozenset(), {})
            assert re.search(words, replay.declined)
        # After a wrong answer it is not asked again; after none it is.
        assert len(run.calls) == calls

    @pytest.mark.parametrize(
        ("code", "words", "stopped", "declined"),
        [
            (0, "", "", "ended with code 0"),
            (0, "replaying Another\n", "", "ended with code 0: replaying Another"),
            (0, REJECTS, "", "ended with code 0"),
            (1, ACCEPTS, "", "ended with code 1"),
            (1, "uncaught exception: Could not find any oleans for: {module}\n", "", "Could not find any oleans"),
            (1, REJECTS.replace("{module}", "Another"), "", "ended with code 1"),
            (-11, ACCEPTS, "", "ended with code -11"),
            (-9, "", "time", "was stopped: time"),
        ],
    )  # fmt: skip
    def test_anything_but_its_two_ends_is_no_answer(
        self, code: int, words: str, stopped: Stop, declined: str
    ) -> None:
        def verdict(module: Module) -> tuple[int, str, Stop]:
            own = ("sample",) in module.positions
            return honest(module) if own else (code, words, stopped)

        replay = checker(Recorded(verdict)).replay(plan_replay(small(), [("t",)]))
        assert declined in replay.declined
        assert replay.accepted == frozenset()

    def test_what_is_rejected_is_found_with_what_uses_it(self) -> None:
        def verdict(module: Module) -> tuple[int, str, Stop]:
            return (1, REJECTS, "") if ("P",) in module.positions else honest(module)

        plan = plan_replay(small(), [("t",), ("big",)])
        replay = checker(Recorded(verdict)).replay(plan)
        assert dict(replay.rejected) == {
            ("P",): "while replaying declaration 'x': (kernel) no",
            ("holds",): "unknown constant",
            ("t",): "unknown constant",
        }
        assert replay.accepted == plan.names() - replay.rejected.keys()
        assert replay.declined == ""

    def test_an_end_while_looking_for_it_is_no_answer(self) -> None:
        def verdict(module: Module) -> tuple[int, str, Stop]:
            if ("t",) in module.positions:
                return 1, REJECTS, ""
            return honest(module) if ("sample",) in module.positions else (-9, "", "time")  # fmt: skip

        replay = checker(Recorded(verdict)).replay(plan_replay(small(), [("t",)]))
        assert (replay.accepted, replay.declined) == (
            frozenset(),
            "the checker's process was stopped: time",
        )

    def test_after_many_rejections_the_rest_is_not_tried(self) -> None:
        def verdict(module: Module) -> tuple[int, str, Stop]:
            own = ("sample",) in module.positions
            return honest(module) if own or not module.names else (1, REJECTS, "")

        bank = Bank()
        prop = bank.sort(bank.zero())
        library = Library(bank)
        axioms = [Constant((f"a{n}",), "axiom", (), prop) for n in range(8)]
        library.add(made.module_of(bank, "M", axioms))
        names = [constant.name for constant in axioms]
        plan = plan_replay(library.environment(("M",)), names)
        replay = checker(Recorded(verdict)).replay(plan)
        assert set(replay.rejected) == set(names)
        assert list(replay.rejected.values()).count("not tried after many rejections") == 3  # fmt: skip
        assert replay.accepted == frozenset()


def real_checker(root: Path) -> LeanChecker:
    return LeanChecker(
        root / "bin" / "leanchecker", root, "leanchecker", header_of([root / "lib" / "lean"])
    )  # fmt: skip


@pytest.fixture(scope="module")
def environment(
    pocket: PocketToolchain, tmp_path_factory: pytest.TempPathFactory
) -> Environment:
    return environment_of(pocket, {"M": TEXT}, tmp_path_factory.mktemp("checker"))


@pytest.mark.lean
class TestReplayOfLean:
    """Files that we wrote, read by Lean's own reader and replayed by Lean's own code."""

    def test_honest_closures_are_accepted(
        self, root: Path, environment: Environment
    ) -> None:
        names = [("add_zero'",), ("ext'",), ("cased",), ("lower",)]
        replay = real_checker(root).replay(plan_replay(environment, names))
        assert (replay.declined, dict(replay.rejected)) == ("", {})
        for name in names:
            assert replay.confirms(closure_of(environment, name))

    @pytest.mark.parametrize("change", ["type of recursor", "rule", "k", "constructor"])  # fmt: skip
    def test_data_that_the_kernel_makes_otherwise_are_found(
        self, root: Path, pocket: PocketToolchain, environment: Environment, change: str
    ) -> None:
        bank = environment.bank
        names = [("Tree",), ("Tree", "node"), ("Tree", "rec"), ("Tree", "rec_1")]
        family: dict[Name, Constant] = {}
        for name in names:
            family[name] = found(environment, name)
        recursor, node = family["Tree", "rec"], family["Tree", "node"]
        data, fields = recursor.data, node.data
        assert isinstance(data, RecursorData)
        assert isinstance(fields, ConstructorData)
        rule = replace(data.rules[0], right=bank.const(("Nat", "zero")))
        victim = {
            "type of recursor": replace(recursor, type=bank.const(("False",))),
            "rule": replace(recursor, data=replace(data, rules=(rule,))),
            "k": replace(recursor, data=replace(data, k=True)),
            "constructor": replace(node, data=replace(fields, fields=1)),
        }[change]
        made_of = list({**family, victim.name: victim}.values())
        over = forged(core_library(pocket), made_of)
        replay = real_checker(root).replay(plan_replay(over, [("Tree", "rec"), ("id",)]))  # fmt: skip
        assert replay.declined == ""
        assert victim.name in replay.rejected
        assert ("id",) in replay.accepted

    def test_a_lie_and_what_uses_it_are_named_and_the_rest_is_accepted(
        self, root: Path, pocket: PocketToolchain
    ) -> None:
        core = core_library(pocket)
        bank = core.bank
        false, proof = bank.const(("False",)), bank.const(("True", "intro"))
        over = forged(
            core,
            [
                theorem("lie", false, proof),
                theorem("above", false, bank.const(("lie",))),
                theorem("good", bank.const(("True",)), proof),
                theorem("itself", false, bank.const(("itself",))),
            ],
        )
        roots = [("above",), ("good",), ("itself",)]
        replay = real_checker(root).replay(plan_replay(over, roots))
        assert set(replay.rejected) == {("lie",), ("above",), ("itself",)}
        assert "(kernel)" in replay.rejected["lie",]
        assert ("good",) in replay.accepted

    def test_a_second_proof_of_a_shared_theorem_is_checked(
        self, root: Path, pocket: PocketToolchain
    ) -> None:
        core = core_library(pocket)
        bank = core.bank
        library = Library(bank, core)
        right = theorem("t", bank.const(("True",)), bank.const(("True", "intro")))
        wrong = replace(right, value=bank.const(("Nat", "zero")))
        for module, constants, imports in (
            ("A", [right], ["Pocket"]),
            ("B", [wrong], ["Pocket"]),
            ("C", [], ["A", "B"]),
        ):
            library.add(made.module_of(bank, module, constants, imports))
        plan = plan_replay(library.environment(("C",)), [("t",)])
        assert ("t",) in real_checker(root).replay(plan).rejected


def theorem(name: str, type_: Term, value: Term) -> Constant:
    return Constant((name,), "theorem", (), type_, value, all=((name,),))


def found(environment: Environment, name: Name) -> Constant:
    constant = environment.find(name)
    assert constant is not None
    return constant


def forged(core: Library, constants: list[Constant]) -> Environment:
    library = Library(core.bank, core)
    library.add(made.module_of(core.bank, "Forged", constants, ["Pocket"]))
    return library.environment(("Forged",))


@pytest.mark.lean
@pytest.mark.parametrize("which", double.present("leanchecker"))
def test_it_tells_right_from_wrong(root: Path, which: str) -> None:
    it = real_checker(double.toolchain_with("leanchecker", which, root))
    assert it.find_distrust() == ""
    environment = small()
    replay = it.replay(plan_replay(environment, [("t",), ("big",)]))
    assert (replay.declined, dict(replay.rejected)) == ("", {})
    bank = Bank()
    constants = made.constants(bank)
    wrong = theorem("wrong", constants[-1].type, bank.const(("P",)))
    library = Library(bank)
    library.add(made.module_of(bank, "M", [*constants, wrong]))
    replay = it.replay(plan_replay(library.environment(("M",)), [("wrong",), ("t",)]))
    assert set(replay.rejected) == {("wrong",)}
    assert ("t",) in replay.accepted
