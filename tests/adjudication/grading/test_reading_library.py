"""What a grading reads of a toolchain's library. The toolchain is a double with a folder of made modules; nothing is compiled."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import cast

import pytest

from adjudication.grading.building import graph_of
from adjudication.grading.pristine import NotGradable
from adjudication.grading.reading import CheckedFiles, read_core
from workbench.lean.module import Import
from workbench.lean.names import show
from workbench.lean.terms import Bank
from workbench.lean.toolchain import Toolchain
from workbench.lean.write import ImageWriter

LIBRARY: Mapping[str, Sequence[str]] = {
    "Init": ["Init.Core"],
    "Init.Core": [],
    "Std": ["Init", "Std.Data"],
    "Std.Data": [],
    "Lean": ["Init"],
}


class Folders:
    """Double of a toolchain: it has folders and can do nothing."""

    def __init__(self, *folders: Path) -> None:
        self.folders = folders

    def library(self) -> Sequence[Path]:
        return self.folders


@pytest.fixture
def toolchain(tmp_path: Path) -> Toolchain:
    bank = Bank()
    for name, imports in LIBRARY.items():
        path = tmp_path.joinpath("lib", *name.split(".")).with_suffix(".olean")
        path.parent.mkdir(parents=True, exist_ok=True)
        writer = ImageWriter(bank)
        lines = [Import(tuple(text.split("."))) for text in imports]
        path.write_bytes(writer.file(writer.module_data(lines, [])))
    return cast(Toolchain, Folders(tmp_path / "lib"))


def read(toolchain: Toolchain, tmp_path: Path, *texts: str) -> set[str]:
    """Read what a tree with these texts needs; return the modules that were read."""
    tree = {f"M{number}.lean": text.encode() for number, text in enumerate(texts)}
    known = CheckedFiles(tmp_path / "checked.json")
    core = read_core(toolchain, known, graph_of(tree, tree))
    return {show(module.name) for module in core}


def test_what_is_imported_is_read_with_all_below_it(
    toolchain: Toolchain, tmp_path: Path
) -> None:
    found = read(toolchain, tmp_path, "import Std\n", "import M0\n")
    assert found == {"Init", "Init.Core", "Std", "Std.Data"}


def test_init_need_not_be_written(toolchain: Toolchain, tmp_path: Path) -> None:
    assert read(toolchain, tmp_path, "def a := 1\n") == {"Init", "Init.Core"}


def test_an_import_that_is_nowhere_is_for_the_compiler_to_miss(
    toolchain: Toolchain, tmp_path: Path
) -> None:
    assert read(toolchain, tmp_path, "import Mathlib\n") == {"Init", "Init.Core"}


def test_a_library_that_cannot_be_read_grades_nothing(
    toolchain: Toolchain, tmp_path: Path
) -> None:
    core = tmp_path / "lib" / "Init" / "Core.olean"
    good = core.read_bytes()
    core.write_bytes(good[:7] + b"4.29.1" + good[13:])
    with pytest.raises(
        NotGradable, match=r"library: Init\.Core: written by Lean '4\.29\.1'.*4\.35\.0"
    ):
        read(toolchain, tmp_path, "import Std\n")
    core.unlink()
    with pytest.raises(NotGradable, match=r"Init\.Core, imported by Init, is not"):
        read(toolchain, tmp_path, "import Std\n")


def test_each_file_is_checked_once(toolchain: Toolchain, tmp_path: Path) -> None:
    read(toolchain, tmp_path, "import Std\n")
    known = CheckedFiles(tmp_path / "checked.json").load()
    core = read_core(
        toolchain, CheckedFiles(tmp_path / "checked.json"), graph_of({}, [])
    )
    assert len(known) == 3  # two of the four are alike
    assert all(module.image.trusted for module in core)
