from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from tests.workbench.lean import made
from workbench.lean.closure import (
    closure_of,
    kernel_names_declared,
    kernel_names_missing,
    reachable,
)
from workbench.lean.constants import Constant, InductiveData, Kind
from workbench.lean.library import Environment, Library, LibraryError
from workbench.lean.module import Import
from workbench.lean.names import Name
from workbench.lean.olean import OleanError
from workbench.lean.terms import Bank
from workbench.lean.write import ImageWriter

BASE = "Base"


@pytest.fixture
def bank() -> Bank:
    return Bank()


Modules = Mapping[str, tuple[Sequence[str], Sequence[Constant]]]


def library(bank: Bank, modules: Modules) -> Library:
    result = Library(bank)
    for name, (imports, constants) in modules.items():
        result.add(made.module_of(bank, name, constants, imports))
    return result


def lemma(
    bank: Bank, name: str, kind: Kind = "theorem", binder: str = "x", of: str = "P"
) -> Constant:
    """A constant whose type is `(binder : of) → of`."""
    p = bank.const((of,))
    value = bank.lam((binder,), p, bank.bvar(0))
    return Constant(
        (name,), kind, (), bank.pi((binder,), p, p), value if kind != "axiom" else None
    )


class TestImportClosure:
    def test_imports_come_before_their_importers(self, bank: Bank) -> None:
        modules: Modules = {
            "C": (["A", "B"], []),
            "B": (["A"], []),
            "A": ([], []),
            "D": ([], []),
        }
        names = [module.name for module in library(bank, modules).closure(("C",))]
        assert names == [("A",), ("B",), ("C",)]

    def test_a_missing_import_names_its_importer(self, bank: Bank) -> None:
        with pytest.raises(LibraryError, match="module B, imported by A, is not there"):
            library(bank, {"A": (["B"], [])}).closure(("A",))

    def test_a_cycle_is_named(self, bank: Bank) -> None:
        modules: Modules = {"A": (["B"], []), "B": (["C"], []), "C": (["B"], [])}
        with pytest.raises(LibraryError, match="B → C → B"):
            library(bank, modules).closure(("A",))

    def test_a_module_cannot_be_there_twice(self, bank: Bank) -> None:
        parent = library(bank, {"A": ([], [])})
        with pytest.raises(LibraryError, match="module A is there twice"):
            Library(bank, parent).add(made.module_of(bank, "A", []))

    def test_what_is_not_imported_is_not_seen(self, bank: Bank) -> None:
        modules: Modules = {
            "A": ([], [lemma(bank, "a")]),
            "B": ([], [lemma(bank, "b")]),
        }
        environment = library(bank, modules).environment(("B",))
        assert list(environment) == [("b",)]


class TestKeys:
    def test_a_key_changes_with_what_lies_above(self, bank: Bank) -> None:
        one = library(bank, {"A": ([], [lemma(bank, "a")]), "B": (["A"], [])})
        other = library(bank, {"A": ([], [lemma(bank, "z")]), "B": (["A"], [])})
        assert one.find(("B",)).digest == other.find(("B",)).digest  # type: ignore[union-attr]
        assert one.key(("B",)) != other.key(("B",))


class TestDuplicates:
    def environment(self, bank: Bank, first: Constant, second: Constant) -> Environment:
        modules: Modules = {
            "A": ([], [first]),
            "B": ([], [second]),
            "C": (["A", "B"], []),
        }
        return library(bank, modules).environment(("C",))

    def test_theorems_of_one_type_are_shared(self, bank: Bank) -> None:
        environment = self.environment(
            bank, lemma(bank, "f._proof_1"), lemma(bank, "f._proof_1", binder="y")
        )
        homes = environment.duplicates[("f._proof_1",)]
        assert [module.name for module in homes] == [("A",), ("B",)]
        assert len(environment.all(("f._proof_1",))) == 2

    @pytest.mark.parametrize(
        "kinds", [("theorem", "axiom"), ("def", "def"), ("axiom", "theorem")]
    )
    def test_anything_else_is_an_error(
        self, bank: Bank, kinds: tuple[Kind, Kind]
    ) -> None:
        with pytest.raises(LibraryError, match="a is defined in both A and B"):
            self.environment(
                bank, lemma(bank, "a", kinds[0]), lemma(bank, "a", kinds[1])
            )

    def test_theorems_of_different_types_are_an_error(self, bank: Bank) -> None:
        with pytest.raises(LibraryError, match="not as the same theorem"):
            self.environment(bank, lemma(bank, "a"), lemma(bank, "a", of="Q"))

    def test_duplicates_that_no_target_imports_together_are_fine(
        self, bank: Bank
    ) -> None:
        modules: Modules = {
            "A": ([], [lemma(bank, "a", "def")]),
            "B": ([], [lemma(bank, "a", "axiom")]),
        }
        assert ("a",) in library(bank, modules).environment(("A",))

    def test_the_axioms_of_every_proof_count(self, bank: Bank) -> None:
        proposition = bank.const(("P",))
        bad = Constant(("bad",), "axiom", (), proposition)
        by_axiom = Constant(("a",), "theorem", (), proposition, bank.const(("bad",)))
        honest = Constant(("a",), "theorem", (), proposition, bank.const(("good",)))
        good = Constant(("good",), "axiom", (), proposition)
        modules: Modules = {
            "A": ([], [honest, good]),
            "B": ([], [by_axiom, bad]),
            "C": (["A", "B"], []),
        }
        environment = library(bank, modules).environment(("C",))
        axioms = [use.name for use in closure_of(environment, ("a",)).axioms]
        assert axioms == [("bad",), ("good",)]


class TestClosure:
    def environment(self, bank: Bank, constants: list[Constant]) -> Environment:
        return library(bank, {BASE: ([], constants)}).environment((BASE,))

    def test_it_lists_axioms_with_their_types(self, bank: Bank) -> None:
        constants = made.constants(bank)
        closure = closure_of(self.environment(bank, constants), ("t",))
        uses = {use.name: (use.type, use.module) for use in closure.axioms}
        assert uses == {
            ("P",): (constants[3].type, (BASE,)),
            ("holds",): (constants[7].type, (BASE,)),
        }

    def test_an_inductive_type_brings_its_constructors(self, bank: Bank) -> None:
        closure = closure_of(
            self.environment(bank, made.constants(bank)), ("Nat", "zero")
        )
        assert closure.constants == {made.NAT, made.ZERO, made.SUCC}

    def test_a_literal_brings_the_type_that_the_kernel_unfolds_it_to(
        self, bank: Bank
    ) -> None:
        assert (
            made.SUCC
            in closure_of(
                self.environment(bank, made.constants(bank)), ("big",)
            ).constants
        )

    def test_flags_count_inside_the_closure_only(self, bank: Bank) -> None:
        proposition = bank.sort(bank.zero())
        constants = [
            Constant(
                ("u",), "def", (), proposition, bank.const(("o",)), safety="unsafe"
            ),
            Constant(("o",), "opaque", (), proposition, proposition),
            Constant(
                ("part",), "def", (), proposition, bank.const(("u",)), safety="partial"
            ),
            Constant(
                ("leftover",), "def", (), proposition, proposition, safety="unsafe"
            ),
        ]
        closure = closure_of(self.environment(bank, constants), ("part",))
        assert (closure.unsafe, closure.partial, closure.opaque) == (
            (("u",),),
            (("part",),),
            (("o",),),
        )

    def test_names_that_nothing_defines_are_missing(self, bank: Bank) -> None:
        constants = [Constant(("a",), "axiom", (), bank.const(("nowhere",)))]
        assert closure_of(self.environment(bank, constants), ("a",)).missing == (
            ("nowhere",),
        )

    def test_an_unknown_root_is_an_error(self, bank: Bank) -> None:
        with pytest.raises(KeyError, match="b"):
            closure_of(self.environment(bank, []), ("b",))

    def test_a_name_with_the_same_text_is_another_name(self, bank: Bank) -> None:
        axiom = Constant(("A.b",), "axiom", (), bank.sort(bank.zero()))
        constants = [axiom, Constant(("a",), "axiom", (), bank.const(("A", "b")))]
        assert closure_of(self.environment(bank, constants), ("a",)).missing == (
            ("A", "b"),
        )

    def test_sorry_is_seen(self, bank: Bank) -> None:
        axiom = Constant(("sorryAx",), "axiom", (), bank.sort(bank.zero()))
        constants = [
            axiom,
            Constant(
                ("a",), "theorem", (), bank.sort(bank.zero()), bank.const(("sorryAx",))
            ),
        ]
        assert closure_of(self.environment(bank, constants), ("a",)).has_sorry

    def test_names_that_the_kernel_computes_are_found_missing_or_declared(
        self, bank: Bank
    ) -> None:
        environment = self.environment(bank, made.constants(bank))
        assert ("Nat", "sub") in kernel_names_missing(environment)
        assert ("Nat", "zero") not in kernel_names_missing(environment)
        assert kernel_names_declared([("x",), ("Nat", "gcd")]) == [("Nat", "gcd")]

    def test_many_constants_over_one_huge_term_do_not_make_it_quadratic(
        self, bank: Bank
    ) -> None:
        term = bank.const(("c",))
        for number in range(1000):
            term = bank.app(term, bank.const((f"c{number}",)))
        constants = [
            Constant(
                (f"a{number}",),
                "axiom",
                (),
                bank.app(term, bank.const((f"b{number}",))),
            )
            for number in range(1000)
        ]
        environment = self.environment(bank, constants)
        with pytest.raises(Exception, match="share more than any compiler"):
            reachable(environment, [constant.name for constant in constants])

    def test_many_families_over_one_huge_list_do_not_make_it_quadratic(
        self, bank: Bank
    ) -> None:
        many = tuple((f"c{number}",) for number in range(1000))
        data = InductiveData(0, 0, (("T",),), many, 0, False, False)
        prop = bank.sort(bank.zero())
        types = [
            Constant((f"T{number}",), "inductive", (), prop, data=data)
            for number in range(1000)
        ]
        environment = self.environment(bank, types)
        with pytest.raises(OleanError, match="share more than any compiler"):
            reachable(environment, [constant.name for constant in types])

    def test_many_names_that_end_in_one_huge_text_are_read(self, bank: Bank) -> None:
        text = "x" * 300_000
        prop = bank.sort(bank.zero())
        constants = [
            Constant((number, text), "axiom", (), prop) for number in range(400)
        ]
        module = made.module_of(bank, "M", constants)
        assert len({id(name[1]) for name in module.names}) == 1


class TestBelow:
    """Reading what a module imports, and no more."""

    @pytest.fixture
    def folder(self, tmp_path: Path) -> Path:
        bank = Bank()
        for name, imports in {
            "Top": ["Low", "Other.Deep"], "Low": [], "Other.Deep": [], "Unused": [],
        }.items():  # fmt: skip
            path = tmp_path.joinpath(*name.split(".")).with_suffix(".olean")
            path.parent.mkdir(exist_ok=True)
            writer = ImageWriter(bank)
            lines = [Import(tuple(text.split("."))) for text in imports]
            path.write_bytes(writer.file(writer.module_data(lines, [])))
        return tmp_path

    def test_only_the_import_closure_is_read(self, folder: Path) -> None:
        library = Library(Bank())
        library.load_below([folder], [("Top",)])
        names = {module.name for module in library}
        assert names == {("Top",), ("Low",), ("Other", "Deep")}

    def test_a_wanted_module_that_is_nowhere_is_passed_over(self, folder: Path) -> None:
        library = Library(Bank())
        library.load_below([folder / "Other", folder], [("Nowhere",), ("Low",)])
        assert [module.name for module in library] == [("Low",)]

    def test_an_import_that_is_nowhere_is_an_error(self, folder: Path) -> None:
        (folder / "Other" / "Deep.olean").unlink()
        with pytest.raises(LibraryError, match=r"Other\.Deep, imported by Top, is not there"):  # fmt: skip
            Library(Bank()).load_below([folder], [("Top",)])

    @pytest.mark.parametrize("name", [("..", "Low"), ("", "Low"), ("a/../Low",), (3,), ()])  # fmt: skip
    def test_a_name_that_is_no_path_leads_nowhere(
        self, folder: Path, name: Name
    ) -> None:
        library = Library(Bank())
        library.load_below([folder / "Other"], [name])
        assert list(library) == []

    def test_the_first_folder_that_has_a_module_counts(
        self, folder: Path, tmp_path: Path
    ) -> None:
        other = tmp_path / "first"
        other.mkdir()
        bank = Bank()
        (other / "Low.olean").write_bytes(made.file_of(bank, made.constants(bank)))
        library = Library(Bank())
        library.load_below([other, folder], [("Low",)])
        assert [len(module.names) for module in library] == [9]
