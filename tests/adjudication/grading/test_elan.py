"""Submissions of a fixture through the elan kind: a toolchain folder whose `bin/lean` is pocket Lean, in boxes, replayed.

The `leanchecker` in it is a double (see tests/workbench/lean/elan/made.py); what it judges, it judges by Lean's own replay.
"""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from adjudication.grading.boxes import boxed
from adjudication.grading.canaries import ground
from adjudication.grading.canaries.run import ALL, run
from adjudication.grading.decide import decide
from adjudication.grading.grader import Grader, grade
from adjudication.grading.intake import take_in
from adjudication.grading.lean import demand_lean, wanted_by
from adjudication.grading.pristine import NotGradable
from adjudication.grading.receipt import make, verify
from curation.format.instance import Instance, load_files
from tests.workbench.lean.elan import made
from workbench.lean.elan.toolchain import ElanToolchain
from workbench.lean.machine import Leans
from workbench.lean.pocket.toolchain import PocketToolchain
from workbench.lean.toolchain import ToolchainMissing

FIXTURES = Path(__file__).resolve().parents[3] / "fixtures"
CANARIES = {canary.id: canary for canary in ALL}


def for_elan(instance: Instance) -> Instance:
    """The instance without the word that it is written for pocket Lean."""
    document = json.loads(instance.files["manifest.json"])
    del document["toolchain"]
    files = {**instance.files, "manifest.json": json.dumps(document).encode()}
    return load_files(files, instance.name)


def grader_of(toolchain: ElanToolchain, grader: Grader, cache: Path) -> Grader:
    kernels = toolchain.kernels(boxed(grader.sandbox.sandbox))
    return replace(grader, toolchain=toolchain, kernels=kernels, cache=cache)


@pytest.fixture(scope="module")
def elan(grader: Grader, tmp_path_factory: pytest.TempPathFactory) -> Grader:
    pocket = grader.toolchain
    assert isinstance(pocket, PocketToolchain)
    folder = tmp_path_factory.mktemp("elan")
    made.toolchain_folder(pocket, folder / "toolchains", checker=True)
    (folder / "grading").mkdir()
    for kept in grader.cache.glob("checked.json"):
        # The core is the same, file for file: what was checked once is checked.
        shutil.copy(kept, folder / "grading")
    leans = Leans(folder / "cache", folder / "toolchains")
    toolchain = leans.toolchain(wanted_by(for_elan(ground.instance())))
    assert isinstance(toolchain, ElanToolchain)
    return grader_of(toolchain, grader, folder / "grading")


@pytest.mark.lean
def test_a_full_solve_passes_and_its_receipt_names_the_toolchain(
    elan: Grader, ivalset: Instance
) -> None:
    instance = for_elan(ivalset)
    handed_in = take_in(
        instance, "proof", FIXTURES / "submissions" / "ivalset" / "proof"
    )
    case = grade(elan, instance, "proof", handed_in)
    verdict = decide(case)
    assert verdict.full_solve, [
        (s.spec, s.outcome, s.detail) for s in verdict.specs if not s.passed
    ]
    for spec in verdict.specs:
        assert {light.state for light in spec.lights.values()} == {"green"}
        assert spec.lights["replay"].reason == "leanchecker of Lean 4.35.0"
    receipt = make(case, verdict)
    assert verify(receipt) == []
    assert receipt["toolchain"] == {
        "kind": "elan",
        "version": "4.35.0",
        "digest": elan.toolchain.digest,
        "library": ["lean"],
        "publishable": True,
    }
    assert {kernel["name"] for kernel in receipt["kernels"]} == {
        "leanchecker of Lean 4.35.0"
    }


@pytest.mark.lean
def test_canaries_in_ordinary_lean_fail_and_pass_for_the_reasons_they_have_elsewhere(
    elan: Grader,
) -> None:
    instance = ground.instance_for(elan.toolchain)
    assert instance.files["lean-toolchain"] == b"leanprover/lean4:v4.35.0\n"
    assert b"prelude" not in b"".join(instance.files.values())
    wanted = ("kernel-skipped", "import-foreign", "captured-instance", "neighbours")
    document = run(elan, [CANARIES[name] for name in wanted])
    assert document["ok"], document
    (skipped,) = [
        answer for answer in document["cheats"] if answer["id"] == "kernel-skipped"
    ]
    reason = skipped["got"]["reason"]
    assert reason.startswith("leanchecker of Lean 4.35.0 refuses lie")
    assert "(kernel)" in reason


def test_the_instance_says_which_lean_grades_it_and_no_other_does(
    grader: Grader, ivalset: Instance, tmp_path: Path
) -> None:
    wanted = wanted_by(for_elan(ivalset))
    assert (wanted.kind, wanted.version) == ("elan", "4.35.0")
    with pytest.raises(
        NotGradable,
        match=r"asks for Lean 4\.35\.0 .*, and this is pocket Lean 4\.35\.0.*elan toolchain install",
    ):
        demand_lean(grader.toolchain, for_elan(ivalset))
    demand_lean(grader.toolchain, ivalset)
    (tmp_path / made.NAME / "bin").mkdir(parents=True)
    made.program(tmp_path / made.NAME / "bin" / "lean", "#!/bin/sh\n")
    other = dict(for_elan(ivalset).files)
    other["lean-toolchain"] = b"leanprover/lean4:v4.29.1\n"
    with pytest.raises(
        ToolchainMissing,
        match=r"asks for Lean 4\.29\.1 .*this machine has leanprover--lean4---v4\.35\.0 in",
    ):
        Leans(tmp_path / "cache", tmp_path).toolchain(
            wanted_by(load_files(other, "other"))
        )
