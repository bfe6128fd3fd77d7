"""Grade the canaries."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandParser

from adjudication.grading.canaries import ground
from adjudication.grading.canaries.run import ALL, run
from adjudication.grading.pristine import NotGradable
from adjudication.management.grading import machine_grader
from adjudication.runs.actions.record_badge import record_badge
from workbench.commands import NegativeResult, ProductCommand, WrongUse
from workbench.jobs.scratch import own_scratch


class Command(ProductCommand):
    help = "Grade cheats that must fail for the expected reason, and honest submissions that must pass."

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--only", metavar="IDS", default="", help="these, separated by commas"
        )
        parser.add_argument(
            "--lean",
            metavar="TOOLCHAIN",
            default="",
            help="with this toolchain of elan, such as leanprover/lean4:v4.35.0 (default: pocket Lean)",
        )

        parser.add_argument(
            "--record",
            action="store_true",
            help="keep the result as the badge of this toolchain and grader; needs all canaries",
        )

    def run(self, options: dict[str, Any]) -> Any:
        with own_scratch():
            return self._run(options)

    def _run(self, options: dict[str, Any]) -> Any:
        wanted = [word.strip() for word in options["only"].split(",") if word.strip()]
        unknown = set(wanted) - {canary.id for canary in ALL}
        if unknown:
            raise WrongUse(f"there is no canary {', '.join(sorted(unknown))}")
        if wanted and options["record"]:
            raise WrongUse("--record needs all canaries; leave --only out")
        chosen = [canary for canary in ALL if not wanted or canary.id in wanted]
        try:
            grader = machine_grader(ground.instance(options["lean"]))
            document = run(grader, chosen)
        except NotGradable as error:
            raise WrongUse(str(error)) from None
        for answer in (*document["cheats"], *document["honest"]):
            got = ", ".join(
                f"{spec} {outcome}"
                for spec, outcome in answer["got"].items()
                if spec != "reason"
            )
            self.say(
                f"{'ok ' if answer['ok'] else 'BAD'} {answer['id']:22} {answer['class']:30} {got}"
            )
        if options["record"]:
            self.say(f"recorded: {record_badge(None, grader, document)}")
        if not document["ok"]:
            bad = [
                answer["id"]
                for answer in (*document["cheats"], *document["honest"])
                if not answer["ok"]
            ]
            raise NegativeResult(
                f"the grader is not to be trusted: {', '.join(bad)}", document
            )
        return document
