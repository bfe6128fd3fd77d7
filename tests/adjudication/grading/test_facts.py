"""What is shown beside a verdict: computable APIs, and bodies that differ from the reference."""

from __future__ import annotations

from dataclasses import replace

import pytest

from adjudication.grading.canaries import ground
from adjudication.grading.canaries.canary import REFERENCE, code, submission
from adjudication.grading.canaries.honest import HONEST
from adjudication.grading.checking import check
from adjudication.grading.decide import decide
from adjudication.grading.facts import ApiFact, facts
from adjudication.grading.grader import Grader, grade
from adjudication.grading.receipt import make
from adjudication.grading.screen import Policy
from curation.format.instance import Instance, load_files


def with_choice() -> Instance:
    """The canaries' instance, with a reference of `flip` that need not run."""
    files = dict(ground.instance().files)
    for path, old, new in (
        (ground.CORE, b"def flip", b"noncomputable def flip"),
        ("Tiny/Harness.lean", b"def canonical", b"noncomputable def canonical"),
    ):
        assert files[path].count(old) == 1
        files[path] = files[path].replace(old, new)
    return load_files(files, "canaries")


def by_name(found: tuple[ApiFact, ...]) -> dict[str, ApiFact]:
    return {fact.name.removeprefix("Tiny."): fact for fact in found}


def text_facts(bodies: dict[tuple[str, str, str], str]) -> dict[str, ApiFact]:
    canary = replace(HONEST[0], mode="codeproof", bodies=bodies)
    checked = check(ground.instance(), "codeproof", submission(canary), Policy())
    return by_name(facts(checked, None))


@pytest.mark.lean
def test_a_choice_in_a_value_counts_and_one_in_a_proof_does_not(
    grader: Grader,
) -> None:
    proved = "  fun n => (Subtype.mk (n + n) ((Classical.em (n = 0)).elim (fun _ => rfl) (fun _ => rfl)) : { m // m = n + n }).val"
    bodies = {
        **code("double", proved),
        **code(
            "flip",
            "  fun c => pick c",
            "noncomputable def pick (c : Colour) : Colour := Classical.choice ⟨c⟩",
        ),
    }
    handed_in = submission(replace(HONEST[0], mode="codeproof", bodies=bodies))
    case = grade(grader, with_choice(), "codeproof", handed_in)
    assert case.graded is not None
    assert all(result.ok for result in case.graded.results.values())
    found = by_name(case.facts)
    assert found["double"].computable is True
    assert found["double"].by == ()
    assert found["flip"].computable is False
    assert found["flip"].by == ("Tiny.flip", "Tiny.pick", "Classical.choice")
    receipt = make(case, decide(case))
    assert "apis" not in receipt


def test_other_words_around_the_same_code_are_no_change() -> None:
    found = text_facts(
        {**REFERENCE, **code("double", "  -- twice\n  fun n   =>\n    n + n /- ! -/")}
    )
    assert (found["double"].changed, found["double"].diff) == (False, "")
    assert found["double"].computable is None


def test_another_body_is_a_change_with_its_difference() -> None:
    fact = text_facts({**REFERENCE, **code("double", "  fun n => 2 * n")})["double"]
    assert fact.changed
    assert fact.diff.splitlines()[:2] == ["--- reference", "+++ submitted"]
    assert "-  fun n => n + n" in fact.diff
    assert "+  fun n => 2 * n" in fact.diff


@pytest.mark.parametrize("body", ["", "  sorry", "  by unsafe_thing\n#exit"])
def test_a_body_that_is_not_taken_changes_nothing(body: str) -> None:
    assert not text_facts({**REFERENCE, **code("double", body)})["double"].changed


def test_in_proof_mode_no_api_is_anybodys_choice() -> None:
    checked = check(ground.instance(), "proof", submission(HONEST[0]), Policy())
    assert facts(checked, None) == ()
