"""Submissions of ours to public instances, adapted to pocket Lean and graded: what they claim is what they get."""

from __future__ import annotations

from pathlib import Path

import pytest

from adjudication.grading.adapting import adapt
from adjudication.grading.decide import decide
from adjudication.grading.grader import Grader, grade
from adjudication.grading.intake import from_tree
from curation.format.instance import load_directory, load_files
from tests.corpus_submissions import FOLDER, claims, filled

SUBMISSIONS = sorted(
    path.relative_to(FOLDER).as_posix() for path in FOLDER.glob("*/*proof")
)


def test_there_are_submissions_of_ten_specs_and_more() -> None:
    assert len(SUBMISSIONS) >= 3
    for name in SUBMISSIONS:
        assert len(claims(FOLDER / name)) >= 10, name


@pytest.mark.lean
@pytest.mark.corpus
@pytest.mark.parametrize("name", SUBMISSIONS)
def test_every_spec_that_is_claimed_passes_by_its_route(
    grader: Grader, corpus: Path, name: str
) -> None:
    folder, mode = name.split("/")
    original = load_directory(corpus / "benchmarks" / folder)
    instance = load_files(adapt(original).files, folder)
    handed_in = from_tree(instance, mode, filled(instance, mode, FOLDER / name))
    verdict = decide(grade(grader, instance, mode, handed_in))
    passed = {
        spec.spec.rpartition(".")[2].removeprefix("spec_"): spec.route
        for spec in verdict.specs
        if spec.passed
    }
    assert passed == claims(FOLDER / name), [
        (spec.spec, spec.outcome, spec.detail)
        for spec in verdict.specs
        if spec.outcome not in ("passed", "unfilled")
    ]
    assert {spec.outcome for spec in verdict.specs} <= {"passed", "unfilled"}
    assert verdict.alarms == ()
    standard = {"propext", "Classical.choice", "Quot.sound"}
    assert all(set(spec.axioms) <= standard for spec in verdict.specs if spec.passed)
