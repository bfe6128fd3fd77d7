"""A toolchain folder with pocket Lean as its `lean`: built, boxed and replayed as any toolchain of elan is."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.workbench.lean.elan import made
from workbench.lean.closure import closure_of
from workbench.lean.elan.checker import LeanChecker
from workbench.lean.elan.toolchain import ElanToolchain
from workbench.lean.layouts import TESTED_LEAN
from workbench.lean.library import Library
from workbench.lean.olean import OleanError
from workbench.lean.pocket.toolchain import PocketToolchain
from workbench.lean.replay import LeanKernel
from workbench.lean.replay_plan import plan_replay
from workbench.lean.sandbox.box import Sandbox
from workbench.lean.sandbox.choose import choose
from workbench.lean.terms import Bank

TREE = {
    "Low.lean": "prelude\nimport Pocket\ntheorem low (n : Nat) : n + 0 = n := rfl\n",
    "Top.lean": "prelude\nimport Low\ntheorem top : 2 + 0 = 2 := low 2\ntheorem bad : False := sorry\n",
    "Broken.lean": "prelude\nimport Low\ntheorem no : 1 = 2 := rfl\n",
}


def tree(folder: Path) -> Path:
    root = folder / "src"
    root.mkdir()
    for name, text in TREE.items():
        (root / name).write_text(text)
    return root


@pytest.fixture
def elan(root: Path, tmp_path: Path) -> ElanToolchain:
    return ElanToolchain(root, tmp_path / "cache")


@pytest.fixture(scope="module")
def sandbox() -> Sandbox:
    return choose("auto", thorough=False).sandbox


@pytest.mark.lean
@pytest.mark.parametrize("boxed", [False, True], ids=["bare", "boxed"])
def test_a_tree_is_built_module_by_module_as_by_the_pocket_kind(
    elan: ElanToolchain,
    pocket: PocketToolchain,
    sandbox: Sandbox,
    tmp_path: Path,
    boxed: bool,
) -> None:
    source = tree(tmp_path)
    options = {"autoImplicit": "false"}
    built = elan.build(
        source, tmp_path / "out", options=options, jobs=2, sandbox=sandbox if boxed else None
    )  # fmt: skip
    outcomes = {name: result.outcome for name, result in built.modules.items()}
    assert outcomes == {"Low": "built", "Top": "built", "Broken": "failed"}
    assert built.modules["Top"].has_sorry
    other = pocket.build(source, tmp_path / "other", options=options)
    for module in ("Low", "Top"):
        name = f"{module}.olean"
        assert (built.out / name).read_bytes() == (other.out / name).read_bytes()
    assert built.modules["Broken"].errors == other.modules["Broken"].errors


@pytest.mark.lean
def test_its_library_is_only_read(elan: ElanToolchain, tmp_path: Path) -> None:
    before = {path: path.stat().st_mtime_ns for path in elan.root.rglob("*")}
    elan.build(tree(tmp_path), tmp_path / "out")
    assert {path: path.stat().st_mtime_ns for path in elan.root.rglob("*")} == before


@pytest.mark.lean
def test_packages_are_searched_after_the_library(
    root: Path, elan: ElanToolchain, tmp_path: Path
) -> None:
    package, source = tmp_path / "package", tmp_path / "source"
    elan.build(tree(tmp_path), package, modules=["Low"])
    source.mkdir()
    (source / "User.lean").write_text("prelude\nimport Low\nexample := low 3\n")
    assert not elan.build(source, tmp_path / "without").ok
    more = ElanToolchain(root, tmp_path / "cache", packages=[package])
    assert list(more.library()) == [root / "lib" / "lean", package]
    assert more.build(source, tmp_path / "with").ok
    assert more.digest != elan.digest


@pytest.mark.lean
def test_it_has_leanchecker_as_kernel_and_without_it_the_one_in_its_library(
    root: Path, elan: ElanToolchain, tmp_path: Path
) -> None:
    (kernel,) = elan.kernels()
    assert isinstance(kernel, LeanChecker)
    assert kernel.name == "leanchecker of Lean 4.35.0"
    other = tmp_path / made.NAME
    shutil.copytree(root, other, copy_function=made.link)
    (other / "bin" / "leanchecker").unlink()
    (bare,) = ElanToolchain(other, tmp_path / "cache").kernels()
    assert isinstance(bare, LeanKernel)
    assert bare.name == "Lean 4.35.0 kernel"
    elan.build(tree(tmp_path), tmp_path / "out", modules=["Top"])
    library = Library(Bank())
    library.load_below([*elan.library(), tmp_path / "out"], [("Top",)])
    environment = library.environment(("Top",))
    plan = plan_replay(environment, [("top",)])
    for each in (kernel, bare):
        assert each.replay(plan).confirms(closure_of(environment, ("top",)))


def test_a_version_whose_library_was_not_tested_has_no_kernel_without_leanchecker(
    tmp_path: Path,
) -> None:
    root = tmp_path / "leanprover--lean4---v4.29.1"
    (root / "bin").mkdir(parents=True)
    (root / "lib" / "lean").mkdir(parents=True)
    (root / "lib" / "lean" / "libleanshared.so").write_text("")
    made.program(root / "bin" / "lean", "#!/bin/sh\necho 'Lean (version 4.29.1, x86_64)'\n")  # fmt: skip
    assert list(ElanToolchain(root, tmp_path / "cache").kernels()) == []


@pytest.mark.lean
@pytest.mark.parametrize("which", made.present("lean"))
def test_ordinary_lean_is_built_and_its_files_are_read_or_refused_by_version(
    root: Path, tmp_path: Path, which: str
) -> None:
    elan = ElanToolchain(made.toolchain_with("lean", which, root), tmp_path / "cache")
    source = tmp_path / "src"
    source.mkdir()
    (source / "A.lean").write_text("theorem a (n : Nat) : n + 0 = n := rfl\n")
    assert len(elan.digest) == 64
    built = elan.build(source, tmp_path / "out")
    assert built.ok
    library, folders = Library(Bank()), [built.out, *elan.library()]
    if elan.version not in TESTED_LEAN:
        with pytest.raises(OleanError, match=f"by Lean '{elan.version}'.*tested on"):
            library.load_below(folders, [("A",)])
        return
    library.load_below(folders, [("A",)])
    environment = library.environment(("A",))
    plan = plan_replay(environment, [("a",)])
    (kernel,) = elan.kernels()
    assert kernel.replay(plan).confirms(closure_of(environment, ("a",)))
