"""Plans as compiled files. That Lean itself reads and accepts them is in elan/test_checker.py."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.workbench.lean import made
from tests.workbench.lean.builds import core_library
from workbench.lean.constants import Constant, QuotData
from workbench.lean.library import Library
from workbench.lean.olean import HEADER_WORDS
from workbench.lean.pocket.toolchain import PocketToolchain
from workbench.lean.replay_file import (
    constants_of,
    module_file,
    other_quotients,
    quotients,
)
from workbench.lean.replay_plan import QUOT_NAMES, plan_replay
from workbench.lean.terms import Bank

HEADER = b"olean\2\1" + b"4.35.0".ljust(33, b"\0") + b"f" * 40 + bytes(100)


def small_library() -> Library:
    bank = Bank()
    library = Library(bank)
    library.add(made.module_of(bank, "M", made.constants(bank)))
    return library


def test_the_file_holds_everything_below_and_imports_nothing() -> None:
    environment = small_library().environment(("M",))
    plan = plan_replay(environment, [("t",)])
    module = made.read(module_file(plan, ("R",), HEADER), environment.bank, "R")
    assert module.imports == ()
    assert list(module.entries()) == []
    assert set(module.names) == plan.names() == {
        ("t",), ("holds",), ("P",), ("f",), ("Nat",), ("Nat", "zero"), ("Nat", "succ"),
    }  # fmt: skip
    for name in module.names:
        assert module.constant(module.positions[name]) == environment.find(name)


def test_the_file_bears_the_version_and_build_of_the_toolchain() -> None:
    plan = plan_replay(small_library().environment(("M",)), [("t",)])
    data = module_file(plan, ("R",), HEADER)
    assert data[:80] == HEADER[:80]
    assert len(data) % 8 == 0
    assert len(data) > 8 * HEADER_WORDS


def test_what_is_left_out_is_left_out_with_its_family() -> None:
    environment = small_library().environment(("M",))
    plan = plan_replay(environment, [("t",)])
    left = {constant.name for constant in constants_of(plan, {("Nat", "succ")})}
    assert left == {("t",), ("holds",), ("P",), ("f",)}


def test_both_proofs_of_a_shared_theorem_are_in_it() -> None:
    bank = Bank()
    library = Library(bank)
    base = made.constants(bank)
    library.add(made.module_of(bank, "Base", base))
    prop = base[-1].type
    for module, value in (("A", ("holds",)), ("B", ("t",))):
        lemma = Constant(("l",), "theorem", (), prop, bank.const(value), all=(("l",),))
        library.add(made.module_of(bank, module, [lemma], ["Base"]))
    library.add(made.module_of(bank, "Top", [], ["A", "B"]))
    plan = plan_replay(library.environment(("Top",)), [("l",)])
    found = {c.name: c.value for c in constants_of(plan)}
    assert found["l",] == bank.const(("holds",))
    assert found["l", "_duplicate", 1] == bank.const(("t",))


@pytest.mark.lean
def test_our_quotients_are_those_of_the_core(pocket: PocketToolchain) -> None:
    environment = core_library(pocket).environment(("Pocket",))
    erased = environment.bank.erased
    for name, (parameters, type_) in quotients(environment.bank).items():
        constant = environment.find(name)
        assert constant is not None
        assert constant.level_params == parameters
        assert erased(constant.type) == erased(type_)
    plan = plan_replay(environment, [("funext",)])
    assert set(QUOT_NAMES) <= set(plan.expected)
    assert other_quotients(plan) == []


def test_quotients_of_another_type_are_noticed() -> None:
    bank = Bank()
    constants = [
        Constant(name, "quot", parameters, type_, data=QuotData(number))
        for number, (name, (parameters, type_)) in enumerate(quotients(bank).items())
    ]
    constants[3] = replace(constants[3], type=bank.sort(bank.zero()))
    library = Library(bank)
    library.add(made.module_of(bank, "M", constants))
    plan = plan_replay(library.environment(("M",)), [("Quot", "ind")])
    assert other_quotients(plan) == [("Quot", "ind")]
