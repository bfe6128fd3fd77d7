"""The canaries against a real Lean: one test each, so that they can be spread over workers."""

from __future__ import annotations

import pytest

from adjudication.grading.canaries.canary import Canary, submission
from adjudication.grading.canaries.cheats import CHEATS
from adjudication.grading.canaries.honest import HONEST
from adjudication.grading.canaries.run import ALL, Answer, run, run_one
from adjudication.grading.grader import Grader
from adjudication.grading.outcomes import PRECEDENCE


@pytest.mark.lean
@pytest.mark.parametrize("canary", ALL, ids=lambda canary: canary.id)
def test_it_gets_what_it_must_for_the_reason_expected(
    grader: Grader, canary: Canary
) -> None:
    answer = run_one(grader, canary)
    assert answer.got == dict(canary.outcomes), answer.detail
    assert canary.reason in answer.detail
    assert answer.ok, (answer.passed, answer.alarms)


@pytest.mark.lean
def test_the_answer_as_a_document(grader: Grader) -> None:
    chosen = [c for c in ALL if c.id in ("exit", "unsafe", "neighbours")]
    document = run(grader, chosen)
    assert document["ok"] is True
    assert [c["id"] for c in document["cheats"]] == ["exit", "unsafe"]
    assert [c["id"] for c in document["honest"]] == ["neighbours"]
    assert document["cheats"][1]["got"]["double"] == "void"


def test_cheats_do_not_pass_and_neighbours_do() -> None:
    assert all(not canary.honest for canary in CHEATS)
    assert all(canary.honest for canary in HONEST)
    assert len({canary.id for canary in ALL}) == len(ALL)


def test_every_outcome_that_a_submission_can_earn_is_earned_by_a_canary() -> None:
    earned = {outcome for canary in ALL for outcome in canary.outcomes.values()}
    # A kernel that gives no answer is a double in test_grader.py.
    assert earned == set(PRECEDENCE) - {"unconfirmed"}


@pytest.mark.parametrize("canary", ALL, ids=lambda canary: canary.id)
def test_it_fills_slots_that_exist(canary: Canary) -> None:
    filled = [item for item in submission(canary).artifact.slots if item.found]
    assert len(filled) == len(canary.bodies)


def test_something_that_passes_unasked_is_not_ok() -> None:
    canary = ALL[0]
    answer = Answer(canary, dict(canary.outcomes), canary.reason, ("double",), ())
    assert not answer.ok
    assert answer._replace(passed=()).ok
    assert not answer._replace(passed=(), alarms=("both",)).ok
