"""Everything that pocket Lean is known to do stays done: the core's regression files and its sample instance."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from workbench.lean.pocket.toolchain import PocketToolchain
from workbench.lean.toolchain import Build

HERE = Path(__file__).parent / "pocket"
SLOT_START = re.compile(r"-- !benchmark @start (\w+)")
SLOT_END = re.compile(r"-- !benchmark @end (\w+)")
# Regression files that show `sorry` on purpose.
WITH_SORRY = {"Recursion3", "Syntax1", "Syntax2"}

pytestmark = pytest.mark.lean


def errors(build: Build) -> list[str]:
    return [
        f"{d.file}:{d.line}:{d.column} {d.message}"
        for d in build.diagnostics
        if d.severity == "error"
    ]


def without_reference_bodies(text: str) -> str:
    """The `codeproof` form of an Impl file: `sorry` in `code` slots, nothing in the auxiliary ones."""
    lines: list[str] = []
    inside = False
    for line in text.splitlines():
        if SLOT_END.match(line):
            inside = False
        if not inside:
            lines.append(line)
        start = SLOT_START.match(line)
        if start and start.group(1) != "imports":
            inside = True
            if start.group(1) == "code":
                lines.append("  sorry")
    return "\n".join(lines) + "\n"


def test_every_regression_file_builds(pocket: PocketToolchain, tmp_path: Path) -> None:
    build = pocket.build(HERE / "regressions", tmp_path / "out", jobs=2)
    assert errors(build) == []
    assert len(build.modules) == 23
    assert {
        name for name, result in build.modules.items() if result.has_sorry
    } == WITH_SORRY


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        (
            "| n, succ m => Copy.add (Copy.mul n m) n",
            "| n, succ m => Copy.add (Copy.mul n m) m",
        ),
        (
            "def mod (n m : Nat) : Nat := (divMod n m).snd",
            "def mod (n m : Nat) : Nat := (divMod n m).fst",
        ),
        (
            "bitAux (fun a b => cond a true b) (Copy.add n m) n m",
            "bitAux (fun a b => cond a b b) (Copy.add n m) n m",
        ),
    ],
)
def test_a_shortcut_of_the_kernel_that_differed_from_its_definition_would_be_noticed(
    pocket: PocketToolchain, tmp_path: Path, right: str, wrong: str
) -> None:
    text = (HERE / "regressions" / "Accel.lean").read_text()
    assert right in text
    (tmp_path / "Accel.lean").write_text(text.replace(right, wrong))
    assert errors(pocket.build(tmp_path, tmp_path / "out"))


def test_the_sample_builds_with_its_proofs(
    pocket: PocketToolchain, tmp_path: Path
) -> None:
    build = pocket.build(HERE / "sample", tmp_path / "out", jobs=2)
    assert errors(build) == []
    assert not any(result.has_sorry for result in build.modules.values())


def test_the_sample_builds_without_its_reference_bodies(
    pocket: PocketToolchain, tmp_path: Path
) -> None:
    root = tmp_path / "sample"
    shutil.copytree(HERE / "sample", root)
    shutil.rmtree(root / "Ledger" / "Proof")
    (root / "Ledger" / "Test.lean").unlink()
    hub = root / "Ledger.lean"
    hub.write_text(
        hub.read_text()
        .replace("import Ledger.Test\n", "")
        .replace("import Ledger.Test", "")
    )
    for path in (root / "Ledger" / "Impl").glob("*.lean"):
        path.write_text(without_reference_bodies(path.read_text()))
    build = pocket.build(root, tmp_path / "out", jobs=2)
    assert errors(build) == []
    assert {name for name, result in build.modules.items() if result.has_sorry} == {
        "Ledger.Impl.Account", "Ledger.Impl.Money", "Ledger.Impl.Report",
    }  # fmt: skip


def test_a_joint_claim_holds_without_reference_bodies(
    pocket: PocketToolchain, tmp_path: Path
) -> None:
    root = tmp_path / "sample"
    shutil.copytree(HERE / "sample", root)
    for path in (root / "Ledger" / "Impl").glob("*.lean"):
        path.write_text(without_reference_bodies(path.read_text()))
    build = pocket.build(root, tmp_path / "out", modules=["Ledger.Proof.Joint"], jobs=2)
    assert errors(build) == []
    assert not build.modules["Ledger.Proof.Joint"].has_sorry
