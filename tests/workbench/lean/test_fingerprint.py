from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.workbench.lean import made
from tests.workbench.lean.builds import environment_of, name_of
from workbench.lean.constants import Constant
from workbench.lean.entries import marks_of, run_time_marks
from workbench.lean.fingerprint import CircularDefinitions, Fingerprints, marks_hash
from workbench.lean.library import Environment, Library
from workbench.lean.module import Module
from workbench.lean.pocket.toolchain import PocketToolchain
from workbench.lean.terms import Bank
from workbench.lean.write import ImageWriter, scalar

TEXT = """
inductive Tree where
  | node (v : Nat) (cs : List Tree)
class Size where
  n : Nat
{above}
instance : Size := ⟨4⟩
def helper (n : Nat) : Nat := match n with
  | 0 => {zero}
  | n + 1 => n
def small (n : Nat) (h : n < 9) : Fin 9 := ⟨n, h⟩
def user [s : Size] ({binder} : Nat) : Nat := helper {binder} + s.n + (small 3 (by decide)).val
def spec : Prop := ∀ t : Tree, ∀ n : Nat, user n = n
theorem lemma_ (n : Nat) : helper n = helper n := {proof}
"""


class Compiled:
    def __init__(self, pocket: PocketToolchain, folder: Path) -> None:
        self.pocket, self.folder = pocket, folder

    def __call__(
        self, above: str = "", zero: str = "7", binder: str = "n", proof: str = "rfl"
    ) -> Environment:
        text = TEXT.format(above=above, zero=zero, binder=binder, proof=proof)
        return environment_of(self.pocket, {"M": text}, self.folder)


@pytest.fixture
def compiled(pocket: PocketToolchain, tmp_path: Path) -> Compiled:
    return Compiled(pocket, tmp_path)


def prints(environment: Environment, *names: str) -> list[str]:
    fingerprints = Fingerprints(environment)
    return [fingerprints.of(name_of(name)) for name in names]


NAMES = (
    "helper",
    "small",
    "user",
    "spec",
    "Tree",
    "Tree.node",
    "Tree.rec",
    "instSize",
    "lemma_",
)


@pytest.mark.lean
class TestWhatMovesAFingerprint:
    def test_a_definition_above_moves_none_below(self, compiled: Compiled) -> None:
        above = (
            "def other (n : Nat) : Nat := match n with\n  | 0 => 1\n  | n + 1 => n + n\n"
            "def early (n : Nat) (h : n < 5) : Fin 5 := ⟨n, h⟩\ndef uses : Nat := (early 2 (by decide)).val"
        )
        assert prints(compiled(), *NAMES) == prints(compiled(above), *NAMES)

    def test_a_changed_helper_moves_all_that_use_it(self, compiled: Compiled) -> None:
        before, after = prints(compiled(), *NAMES), prints(compiled(zero="8"), *NAMES)
        moved = {
            name
            for name, old, new in zip(NAMES, before, after, strict=True)
            if old != new
        }
        assert moved == {"helper", "user", "spec", "lemma_"}

    def test_a_binders_name_moves_none(self, compiled: Compiled) -> None:
        assert prints(compiled(), *NAMES) == prints(compiled(binder="renamed"), *NAMES)

    def test_another_proof_moves_none(self, compiled: Compiled) -> None:
        assert prints(compiled(), *NAMES) == prints(
            compiled(proof="by cases n <;> rfl"), *NAMES
        )

    def test_an_instance_chosen_instead_moves_its_users(
        self, compiled: Compiled
    ) -> None:
        before, after = (
            prints(compiled(), "spec"),
            prints(compiled("instance (priority := high) mine : Size := ⟨4⟩"), "spec"),
        )
        assert before != after

    def test_the_priority_of_an_instance_moves_the_hash_beside_it_only(
        self, compiled: Compiled
    ) -> None:
        low, high = (
            compiled("instance (priority := low) z : Size := ⟨4⟩"),
            compiled("instance (priority := high) z : Size := ⟨4⟩"),
        )
        assert prints(low, "z") == prints(high, "z")
        beside = [marks_hash(marks_of(e.modules[-1]), ("z",)) for e in (low, high)]
        assert beside[0] != beside[1]

    def test_a_statement_has_the_fingerprint_of_its_term(
        self, compiled: Compiled
    ) -> None:
        environment = compiled()
        bank = environment.bank
        one, other = (
            bank.const(("spec",)),
            bank.app(bank.const(("Not",)), bank.const(("spec",))),
        )
        fingerprints = Fingerprints(environment)
        assert fingerprints.of_term(one) == Fingerprints(environment).of_term(one)
        assert fingerprints.of_term(one) != fingerprints.of_term(other)

    def test_every_constant_of_the_core_has_one(
        self, pocket: PocketToolchain, compiled: Compiled
    ) -> None:
        environment = compiled()
        fingerprints = Fingerprints(environment)
        found = {fingerprints.of(name) for name in environment if "Pocket" not in name}
        assert len(found) > 4000


class TestMade:
    @pytest.fixture
    def bank(self) -> Bank:
        return Bank()

    def fingerprints(self, bank: Bank, constants: list[Constant]) -> Fingerprints:
        library = Library(bank)
        library.add(made.module_of(bank, "M", constants))
        return Fingerprints(library.environment(("M",)))

    @pytest.mark.parametrize(
        "change",
        [
            {"kind": "opaque"},
            {"safety": "unsafe"},
            {"level_params": (("u",),)},
        ],
    )
    def test_what_is_not_in_the_terms_counts_too(
        self, bank: Bank, change: dict[str, object]
    ) -> None:
        prop = bank.sort(bank.zero())
        one = Constant(("a",), "def", (), prop, prop)
        other = replace(one, **change)  # type: ignore[arg-type]
        assert self.fingerprints(bank, [one]).of(("a",)) != self.fingerprints(
            bank, [other]
        ).of(("a",))

    def test_names_of_levels_do_not_count_but_their_order_does(
        self, bank: Bank
    ) -> None:
        def made_of(first: str, second: str) -> str:
            levels = (first,), (second,)
            constant = Constant(
                ("a",), "axiom", levels, bank.sort(bank.param((second,)))
            )
            return self.fingerprints(bank, [constant]).of(("a",))

        assert made_of("u", "v") == made_of("x", "y")
        swapped = Constant(
            ("a",), "axiom", (("v",), ("u",)), bank.sort(bank.param(("v",)))
        )
        assert self.fingerprints(bank, [swapped]).of(("a",)) != made_of("u", "v")

    def test_constants_in_a_circle_are_an_error(self, bank: Bank) -> None:
        prop = bank.sort(bank.zero())
        circle = [
            Constant(("a",), "def", (), prop, bank.const(("b",))),
            Constant(("b",), "def", (), prop, bank.const(("a",))),
        ]
        with pytest.raises(CircularDefinitions):
            self.fingerprints(bank, circle).of(("a",))

    def test_a_name_is_not_its_text(self, bank: Bank) -> None:
        prop = bank.sort(bank.zero())
        texts = [("a.b",), ("a", "b"), ("a", "1"), ("a", 1)]
        found = set()
        for text in texts:
            axiom = Constant(text, "axiom", (), prop)
            user = Constant(("u",), "def", (), prop, bank.const(text))
            found.add(self.fingerprints(bank, [axiom, user]).of(("u",)))
        assert len(found) == len(texts)


@pytest.mark.lean
class TestMarks:
    TEXT = """
namespace Q
def a (n : Nat) : Nat := n
@[implemented_by a] def b (n : Nat) : Nat := n
@[extern "foo"] opaque c (n : Nat) : Nat
@[export my_sym] def d (n : Nat) : Nat := n
@[reducible] def e : Nat := 1
class K where
  x : Nat
scoped instance i2 : K := ⟨1⟩
@[default_instance 200] instance i3 : K := ⟨1⟩
@[simp ↓ 500] theorem s2 (n : Nat) : n = n ↔ True := by simp
def g (n : Nat) : Nat := n
@[csimp] theorem cc : @g = @a := rfl
end Q
export Q (a)
"""

    @pytest.fixture(scope="class")
    @classmethod
    def module(
        cls, pocket: PocketToolchain, tmp_path_factory: pytest.TempPathFactory
    ) -> Module:
        return environment_of(
            pocket, {"M": cls.TEXT}, tmp_path_factory.mktemp("marks")
        ).modules[-1]

    @pytest.mark.parametrize(
        ("name", "mark"),
        [
            ("Q.e", "reducible"),
            ("Q.K", "class"),
            ("Q.i2", "instance priority 1000 in Q"),
            ("Q.i3", "default instance priority 200"),
            ("Q.s2", "simp lemma priority 500 before subterms"),
            ("Q.a", "exported as a"),
        ],
    )
    def test_they_say_what_the_attribute_said(
        self, module: Module, name: str, mark: str
    ) -> None:
        assert mark in marks_of(module).by_name[name_of(name)]

    def test_attributes_that_change_what_runs_are_told_apart(
        self, module: Module
    ) -> None:
        assert sorted(run_time_marks(marks_of(module))) == [
            (("Q", "b"), "compiled as Q.a (implemented_by)"),
            (("Q", "c"), "extern"),
            (("Q", "d"), "export"),
            (("Q", "g"), "compiled as Q.a (csimp)"),
        ]

    def test_all_known_entries_of_the_core_are_understood(
        self, pocket: PocketToolchain, tmp_path: Path
    ) -> None:
        for module in environment_of(pocket, {"M": ""}, tmp_path).modules:
            assert marks_of(module).unread == ()


class TestStrangeEntries:
    @pytest.mark.parametrize("shape", ["scalar", "string", "short", "wrong name"])
    def test_they_are_reported_as_unread(self, shape: str) -> None:
        bank = Bank()
        writer = ImageWriter(bank)
        entry = {
            "scalar": lambda: scalar(5),
            "string": lambda: writer.string("x"),
            "short": lambda: writer.object(0, (writer.name(("a",)),)),
            "wrong name": lambda: writer.object(0, (writer.string("a"), scalar(0))),
        }[shape]()
        root = writer.module_data([], [], [(("reducibilityCore",), [entry])])
        module = made.read(writer.file(root), bank)
        assert marks_of(module).unread == ("reducibilityCore",)
        assert marks_of(module).by_name == {}
