"""A second kernel beside Lean's own, in the same box: both must accept. It is a double."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from adjudication.grading.boxes import boxed
from adjudication.grading.canaries import ground
from adjudication.grading.canaries.canary import Canary, submission
from adjudication.grading.canaries.run import ALL
from adjudication.grading.decide import decide
from adjudication.grading.grader import Grader, grade
from adjudication.grading.outcomes import SpecVerdict
from adjudication.grading.receipt import make, verify
from workbench.lean.command_kernel import command_kernel
from workbench.lean.sandbox.system import interpreter

DOUBLE = Path(__file__).parents[2] / "workbench" / "lean" / "kernel_double.py"
FULL: Canary = next(canary for canary in ALL if canary.id == "full-proof")

pytestmark = pytest.mark.lean


def specs(grader: Grader, cache: Path, words: str) -> dict[str, SpecVerdict]:
    """Grade a full solve with the double; check the receipt; return the specs by their short names."""
    run = boxed(grader.sandbox.sandbox)
    second = command_kernel(f"{interpreter()} -S {DOUBLE} {words}", run)
    both = replace(grader, kernels=[*grader.kernels, second], cache=cache)
    case = grade(both, ground.instance(), "proof", submission(FULL))
    verdict = decide(case)
    assert verify(make(case, verdict)) == []
    return {spec.spec.rsplit("spec_", 1)[-1]: spec for spec in verdict.specs}


def test_where_both_accept_the_light_names_both(grader: Grader, tmp_path: Path) -> None:
    found = specs(grader, tmp_path, "accept")
    assert {spec.outcome for spec in found.values()} == {"passed"}
    first, second = found["double"].lights["replay"].reason.split(", ")
    assert first == grader.kernels[0].name
    assert second.startswith("python")


def test_a_disagreement_is_red_with_the_reason_and_only_for_the_theorem_meant(
    grader: Grader, tmp_path: Path
) -> None:
    found = specs(grader, tmp_path, "prove_double")
    meant = found.pop("double")
    assert meant.outcome == "kernel_rejected"
    assert meant.lights["replay"].state == "red"
    assert "refuses prove_double or something below it" in meant.detail
    assert meant.detail.endswith(": I do not believe prove_double")
    assert {spec.outcome for spec in found.values()} == {"passed"}


def test_a_second_kernel_that_breaks_confirms_nothing(
    grader: Grader, tmp_path: Path
) -> None:
    found = specs(grader, tmp_path, "crash")
    assert {spec.outcome for spec in found.values()} == {"unconfirmed"}
    assert "it ended with code 3" in found["double"].detail
