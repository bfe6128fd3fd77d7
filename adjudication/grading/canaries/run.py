"""Grade the canaries and say whether each got what it must."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any, NamedTuple

from adjudication.grading.canaries import ground
from adjudication.grading.canaries.canary import Canary, submission
from adjudication.grading.canaries.cheats import CHEATS
from adjudication.grading.canaries.honest import HONEST
from adjudication.grading.decide import decide
from adjudication.grading.grader import Grader, grade

ALL = (*CHEATS, *HONEST)


class Answer(NamedTuple):
    """What became of one canary: outcomes by spec, as expected and as found, and the detail of the first."""

    canary: Canary
    got: dict[str, str]
    detail: str
    passed: tuple[str, ...]
    alarms: tuple[str, ...]

    @property
    def ok(self) -> bool:
        """Whether everything is as expected, and nothing passed that was not to."""
        wanted = self.canary.outcomes
        unexpected = [spec for spec in self.passed if wanted.get(spec) != "passed"]
        return (
            self.got == dict(wanted)
            and self.canary.reason in self.detail
            and not unexpected
            and len(self.alarms) == self.canary.alarms
        )

    def document(self) -> dict[str, Any]:
        """Return it as JSON."""
        return {
            "id": self.canary.id,
            "class": self.canary.attack,
            "why": self.canary.why,
            "mode": self.canary.mode,
            "expected": {**self.canary.outcomes, "reason": self.canary.reason},
            "got": {**self.got, "reason": self.detail},
            "ok": self.ok,
        }


def run_one(grader: Grader, canary: Canary) -> Answer:
    """Grade one canary, on ordinary Lean where the grader's is a toolchain of elan. Raises NotGradable."""
    # What a model says is no part of what is tried here.
    grader = replace(grader, policy=canary.policy, limits=canary.limits, judge=None)
    instance = ground.instance_for(grader.toolchain)
    case = grade(grader, instance, canary.mode, submission(canary, instance))
    verdict = decide(case)
    found = {spec.spec.rsplit("spec_", 1)[-1]: spec for spec in verdict.specs}
    first = next(iter(canary.outcomes))
    return Answer(
        canary,
        {name: found[name].outcome for name in canary.outcomes},
        found[first].detail,
        tuple(name for name, spec in found.items() if spec.passed),
        verdict.alarms,
    )


def run(grader: Grader, canaries: Iterable[Canary] = ALL) -> dict[str, Any]:
    """Return the answers to canaries as JSON: cheats, honest ones, and whether all are as they must be."""
    answers = [run_one(grader, canary) for canary in canaries]
    honest = [answer for answer in answers if answer.canary in HONEST]
    cheats = [answer for answer in answers if answer.canary not in HONEST]
    return {
        "cheats": [answer.document() for answer in cheats],
        "honest": [answer.document() for answer in honest],
        "ok": all(answer.ok for answer in answers),
    }
