"""Grade a submission."""

from __future__ import annotations

import os
from dataclasses import asdict
from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from adjudication.grading.decide import Verdict, decide
from adjudication.grading.facts import ApiFact
from adjudication.grading.grader import Grader, grade
from adjudication.grading.intake import take_in
from adjudication.grading.pristine import NotGradable
from adjudication.grading.watching import Step
from adjudication.management.grading import (
    keep_receipt,
    machine_grader,
    meant_instance,
)
from curation.format.findings import FormatError
from curation.format.instance import Instance
from curation.format.slots import MODES
from workbench.commands import NegativeResult, ProductCommand, WrongUse
from workbench.jobs.scratch import own_scratch
from workbench.lean.machine import called


class Command(ProductCommand):
    help = "Grade a submission: build it in a sandbox, read what came out, replay it, and say what became of each spec."

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "instance",
            metavar="INSTANCE",
            help="folder or archive of an instance, or the name of an imported one",
        )
        parser.add_argument("--mode", required=True, choices=MODES)
        parser.add_argument(
            "--artifact",
            required=True,
            metavar="PATH",
            help="an artifact.json, or a folder or archive with the slots filled in",
        )
        parser.add_argument(
            "--receipt", metavar="FILE", help="write the receipt there as well"
        )

    def run(self, options: dict[str, Any]) -> Any:
        with own_scratch():
            return self._run(options)

    def _run(self, options: dict[str, Any]) -> Any:
        instance, revision, why_adapted = meant_instance(options["instance"])
        path = Path(options["artifact"])
        if not os.path.exists(options["artifact"]):  # Path's raises for a long name
            raise WrongUse(f"{path} is not there")
        file = Path(options["receipt"]) if options["receipt"] else None
        if file and (file.is_dir() or not os.access(file.parent, os.W_OK)):
            raise WrongUse(f"--receipt {file}: no file can be written there")
        grader = self._grader(options["instance"], instance, why_adapted)
        try:
            submission = take_in(instance, options["mode"], path)
        except FormatError as error:
            raise WrongUse(f"{path}: {error}") from None
        try:
            case = grade(grader, instance, options["mode"], submission, self._show)
            verdict = decide(case)
        except NotGradable as error:
            raise WrongUse(f"{instance.name} cannot be graded: {error}") from None
        document, kept = keep_receipt(case, verdict, revision, file)
        facts = [asdict(fact) for fact in case.facts]
        document = {**document, "receipt": str(kept), "apis": facts, "adapted": bool(why_adapted)}  # fmt: skip
        self._tell(verdict)
        for fact in case.facts:
            self._tell_fact(fact)
        self.say(f"Graded with {called(case.grader.toolchain)}")
        self.say(f"Receipt {document['hash'][:16]} in {kept}")
        if not verdict.full_solve:
            passed = sum(spec.passed for spec in verdict.specs)
            raise NegativeResult(
                f"{passed} of {len(verdict.specs)} specs passed", document
            )
        return document

    def _show(self, step: Step) -> None:
        """Say what a grading does: the first one on a machine compiles a library before anything else, which takes its time."""
        self.say(f"{step.name:7}  {step.words}")

    def _tell_fact(self, fact: ApiFact) -> None:
        """Say what is odd about an API; most are computable and most that are written anew differ, which goes without saying."""
        if fact.computable is False:
            self.say(f"note: {fact.name} is not computable: {' → '.join(fact.by)}")

    def _grader(self, name: str, instance: Instance, why_adapted: str) -> Grader:
        """Return the grader for `instance`, with a word on where to turn if this machine lacks its Lean."""
        if why_adapted:
            self.say(
                f"{why_adapted}\nGraded as adapted to pocket Lean instead: no verdict to publish."
            )
        try:
            return machine_grader(instance)
        except WrongUse as missing:
            raise WrongUse(
                f"{missing} Or grade it on pocket Lean, for no published score: bin/workbench adapt {name} --to pocket"
            ) from None

    def _tell(self, verdict: Verdict) -> None:
        width = max((len(spec.spec) for spec in verdict.specs), default=0)
        for spec in verdict.specs:
            how = spec.route if spec.passed else spec.detail.split("\n", 1)[0]
            self.say(f"{spec.spec:{width}}  {spec.outcome:17}  {how}")
        for alarm in verdict.alarms:
            self.say(f"ALARM: {alarm}")
        for note in (*verdict.flags, *verdict.notes):
            self.say(f"note: {note}")
        for ruling in verdict.rulings:
            said = ruling.reasoning or ruling.error
            self.say(f"judge: {ruling.place}: {ruling.opinion}: {said}")
