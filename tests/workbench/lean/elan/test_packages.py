"""Packages by `lake env`: a double with recorded words, and also the real one where it is on the PATH."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.workbench.lean.elan import made
from workbench.lean.elan.packages import packages_of
from workbench.lean.toolchain import ToolchainMissing

BATTERIES = ".lake/packages/batteries/.lake/build/lib/lean"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "toolchains" / made.NAME
    (root / "bin").mkdir(parents=True)
    (root / "lib" / "lean").mkdir(parents=True)
    return root


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    workspace = tmp_path / "packages" / made.NAME
    (workspace / BATTERIES).mkdir(parents=True)
    return workspace


def test_the_packages_are_those_that_lake_names_but_not_the_workspace_itself(
    root: Path, workspace: Path
) -> None:
    own = ".lake/build/lib/lean"
    made.lake(root, f"{root}/lib/lean:./{BATTERIES}:{workspace}/{own}")
    assert packages_of(root, workspace.parent) == [workspace / BATTERIES]


def test_without_a_workspace_there_are_none_and_lake_is_not_asked(
    root: Path, workspace: Path
) -> None:
    made.program(root / "bin" / "lake", "#!/bin/sh\nexit 1\n")
    assert packages_of(root, None) == []
    assert packages_of(root, workspace / "elsewhere") == []


def test_a_package_that_is_not_built_is_named_with_the_remedy(
    root: Path, workspace: Path
) -> None:
    made.lake(root, f"./{BATTERIES}:.lake/packages/mathlib/.lake/build/lib/lean")
    with pytest.raises(ToolchainMissing, match=r"mathlib.*is not built.*lake build"):
        packages_of(root, workspace.parent)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("#!/bin/sh\necho LAKE=x\n", "gave no LEAN_PATH: LAKE=x"),
        ("#!/bin/sh\necho 'error: no such file: lakefile' >&2\nexit 1\n", r"failed \(1\): error: no such file"),
        ("#!/nowhere/sh\n", "bin/lake does not start"),
    ],
)  # fmt: skip
def test_a_lake_that_gives_no_answer_is_an_error_with_its_words(
    root: Path, workspace: Path, text: str, reason: str
) -> None:
    made.program(root / "bin" / "lake", text)
    with pytest.raises(ToolchainMissing, match=reason):
        packages_of(root, workspace.parent)


def test_lake_sees_nothing_of_our_environment(
    root: Path, workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WORKBENCH_SECRET_KEY", "hidden")
    seen = workspace / "seen"
    made.program(root / "bin" / "lake", f"#!/bin/sh\nenv > {seen}\npwd >> {seen}\necho LEAN_PATH=\n")  # fmt: skip
    assert packages_of(root, workspace.parent) == []
    assert "hidden" not in seen.read_text()
    assert str(workspace) in seen.read_text().splitlines()


@pytest.mark.parametrize("which", made.present("lake"))
def test_a_workspace_without_packages_has_none(
    root: Path, tmp_path: Path, which: str
) -> None:
    made.lake(root, f"{root}/lib/lean:./.lake/build/lib/lean")
    toolchain = made.toolchain_with("lake", which, root)
    workspace = tmp_path / "empty" / toolchain.name
    workspace.mkdir(parents=True)
    (workspace / "lakefile.toml").write_text('name = "packages"\n')
    assert packages_of(toolchain, workspace.parent) == []
