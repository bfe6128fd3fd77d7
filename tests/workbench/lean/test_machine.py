from __future__ import annotations

from pathlib import Path

import pytest

from tests.workbench.lean.elan import made
from workbench.lean import machine
from workbench.lean.machine import Leans, called, demand
from workbench.lean.pocket.toolchain import PocketToolchain
from workbench.lean.toolchain import ToolchainMissing
from workbench.lean.wanted import wanted

SAYS = "#!/bin/sh\necho 'Lean (version {version}, x86_64-unknown-linux-gnu, commit 0123, Release)'\n"
POCKET = wanted(b"leanprover/lean4:v4.35.0", "", "pocket")
ELAN = wanted(b"leanprover/lean4:v4.29.1", "")


def stub(folder: Path, name: str, version: str) -> Path:
    """A toolchain whose `lean` says its version and does nothing else."""
    root = folder / name
    (root / "bin").mkdir(parents=True)
    (root / "lib" / "lean").mkdir(parents=True)
    made.program(root / "bin" / "lean", SAYS.format(version=version))
    return root


class NoPocket:
    """Stands for the pocket Lean of a machine that cannot have it."""

    def __init__(self, cache: Path) -> None:
        raise ToolchainMissing("not here")


def leans(folder: Path) -> Leans:
    return Leans(folder / "cache", folder / "toolchains")


def test_a_toolchain_of_elan_is_found_and_says_what_it_is(tmp_path: Path) -> None:
    root = stub(tmp_path / "toolchains", ELAN.folder, "4.29.1")
    found = leans(tmp_path).toolchain(ELAN)
    assert (found.kind, found.version) == ("elan", "4.29.1")
    assert list(found.library()) == [root / "lib" / "lean"]
    assert called(found) == "Lean 4.29.1 of elan"


def test_a_folder_that_holds_another_version_than_its_name_says_is_refused(
    tmp_path: Path,
) -> None:
    stub(tmp_path / "toolchains", ELAN.folder, "4.30.0")
    with pytest.raises(
        ToolchainMissing, match=r"named after Lean 4\.29\.1 and holds Lean 4\.30\.0"
    ):
        leans(tmp_path).toolchain(ELAN)


def test_a_single_toolchain_of_another_version_is_refused_naming_both(
    tmp_path: Path,
) -> None:
    root = stub(tmp_path, "opt", "4.30.0")
    with pytest.raises(ToolchainMissing) as raised:
        Leans(tmp_path / "cache", root).toolchain(ELAN)
    assert str(raised.value).startswith(
        "the instance asks for Lean 4.29.1 (leanprover/lean4:v4.29.1), and this is Lean 4.30.0 of elan."
    )


@pytest.mark.parametrize(
    "text",
    ["#!/bin/sh\nexit 3\n", "#!/bin/sh\necho hello\n", "#!/nowhere/sh\n"],
    ids=["fails", "says something else", "cannot start"],
)
def test_a_lean_that_does_not_start_is_missing(tmp_path: Path, text: str) -> None:
    root = stub(tmp_path / "toolchains", ELAN.folder, "4.29.1")
    made.program(root / "bin" / "lean", text)
    with pytest.raises(ToolchainMissing, match=r"bin/lean does not start"):
        leans(tmp_path).toolchain(ELAN)


def test_a_toolchain_without_its_library_is_missing(tmp_path: Path) -> None:
    root = stub(tmp_path / "toolchains", ELAN.folder, "4.29.1")
    (root / "lib" / "lean").rmdir()
    with pytest.raises(ToolchainMissing, match="lib/lean is not there"):
        leans(tmp_path).toolchain(ELAN)


def test_each_lean_is_a_capability_with_and_without_its_kind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(machine, "PocketToolchain", NoPocket)
    stub(tmp_path / "toolchains", ELAN.folder, "4.29.1")
    stub(tmp_path / "toolchains", "leanprover--lean4---stable", "4.31.0")
    stub(tmp_path / "toolchains", "with blanks", "4.31.0")
    assert list(leans(tmp_path).capabilities()) == [
        "lean:stable", "elan:stable", "lean:4.29.1", "elan:4.29.1",
    ]  # fmt: skip
    single = Leans(tmp_path / "cache", stub(tmp_path, "opt", "4.30.0"))
    assert list(single.capabilities()) == ["lean:4.30.0", "elan:4.30.0"]
    assert list(leans(tmp_path / "nothing").capabilities()) == []


@pytest.mark.lean
def test_pocket_lean_is_one_and_takes_no_instance_that_was_not_written_for_it(
    pocket: PocketToolchain, tmp_path: Path
) -> None:
    assert list(leans(tmp_path).capabilities()) == ["lean:4.35.0", "pocket:4.35.0"]
    assert leans(tmp_path).toolchain(POCKET).kind == "pocket"
    demand(pocket, POCKET)
    for other, words in (
        (wanted(b"v4.35.0", ""), "asks for Lean 4.35.0 (leanprover/lean4:v4.35.0), and this is pocket Lean 4.35.0"),
        (wanted(b"v4.36.0", "", "pocket"), "asks for pocket Lean 4.36.0, and this is pocket Lean 4.35.0"),
    ):  # fmt: skip
        with pytest.raises(ToolchainMissing) as raised:
            demand(pocket, other)
        assert words in str(raised.value)
