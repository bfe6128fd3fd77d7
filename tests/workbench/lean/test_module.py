"""Whole modules that a real Lean compiled."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.workbench.lean import made
from tests.workbench.lean.builds import compile_tree, core_library
from workbench.lean.closure import kernel_names_missing
from workbench.lean.library import Library
from workbench.lean.module import Import, Module
from workbench.lean.olean import Image, OleanError, open_image
from workbench.lean.pocket.toolchain import PocketToolchain
from workbench.lean.terms import Bank
from workbench.lean.write import ImageWriter

pytestmark = pytest.mark.lean

PARTS = """module
prelude
set_option autoImplicit false
inductive N where | z | s (n : N)
public inductive P where | z | s (n : P)
public theorem t (p : Prop) (h : p) : p := h
@[expose] public def one : P := .s .z
public def two : P := .s one
def three : P := .s two
"""


class TestTheCore:
    def test_what_is_written_from_its_terms_reads_the_same(
        self, pocket: PocketToolchain
    ) -> None:
        library = core_library(pocket)
        count = 0
        for module in library:
            constants = list(module.constants())
            writer = ImageWriter(library.bank)
            data = writer.file(writer.module_data(module.imports, constants))
            again = Module(
                module.name, Image("again", [memoryview(data)]), library.bank
            )
            assert list(again.constants()) == constants
            count += len(constants)
        assert count > 4500

    def test_it_defines_all_that_the_kernel_computes_by_name(
        self, pocket: PocketToolchain
    ) -> None:
        environment = core_library(pocket).environment(("Pocket",))
        assert kernel_names_missing(environment) == []

    def test_imports_are_those_of_the_source(self, pocket: PocketToolchain) -> None:
        module = core_library(pocket).find(("Pocket", "Logic"))
        assert module is not None
        assert module.imports == (Import(("Pocket", "Core")),)


class TestThreeParts:
    @pytest.fixture(scope="class")
    @classmethod
    def folder(
        cls, pocket: PocketToolchain, tmp_path_factory: pytest.TempPathFactory
    ) -> Path:
        return compile_tree(pocket, {"M": PARTS}, tmp_path_factory.mktemp("parts"))

    def test_together_they_show_theorems_with_their_proofs(self, folder: Path) -> None:
        library = Library(Bank())
        library.load_tree(folder)
        environment = library.environment(("M",))
        theorem, hidden = (
            environment.find(("t",)),
            environment.find(("_private", "M", 0, "three")),
        )
        assert theorem is not None
        assert (theorem.kind, theorem.value is None) == ("theorem", False)
        assert hidden is not None

    def test_the_first_alone_is_refused(self, folder: Path, tmp_path: Path) -> None:
        shutil.copy(folder / "M.olean", tmp_path)
        with pytest.raises(OleanError, match="one part of a module in three"):
            Library(Bank()).load_tree(tmp_path)

    def test_parts_of_two_compilations_are_refused(
        self, pocket: PocketToolchain, folder: Path, tmp_path: Path
    ) -> None:
        shutil.copytree(folder, tmp_path, dirs_exist_ok=True)
        other = compile_tree(
            pocket,
            {"Other": PARTS + "public def four : P := .s two\n"},
            tmp_path / "other",
        )
        shutil.copy(other / "Other.olean.private", tmp_path / "M.olean.private")
        with pytest.raises(OleanError, match="not of one compilation"):
            open_image(tmp_path / "M.olean")


class TestTrust:
    def test_a_file_that_was_checked_before_is_not_checked_again(
        self, tmp_path: Path
    ) -> None:
        bank = Bank()
        path = tmp_path / "M.olean"
        path.write_bytes(made.file_of(bank, made.constants(bank)))
        first, second = Library(bank), Library(bank)
        first.load(("M",), path)
        assert len(first.checked) == 1
        second.checked.update(first.checked)
        module = second.load(("M",), path)
        assert not module.image.starts
        assert list(module.constants()) == made.constants(bank)

    def test_a_file_that_differs_in_one_bit_is_checked(self, tmp_path: Path) -> None:
        bank = Bank()
        path = tmp_path / "M.olean"
        data = bytearray(made.file_of(bank, made.constants(bank)))
        path.write_bytes(data)
        library = Library(bank)
        library.load(("M",), path)
        data[-40] ^= 1
        path.write_bytes(data)
        other = Library(bank)
        other.checked.update(library.checked)
        with pytest.raises(OleanError):
            other.load(("M",), path)
