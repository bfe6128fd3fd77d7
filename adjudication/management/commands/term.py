"""Show what a declaration means."""

from __future__ import annotations

from dataclasses import asdict
from textwrap import indent
from typing import Any

from django.core.management.base import CommandParser

from adjudication.grading.elaborated import Elaborated, NoSuchTerm, elaborate
from adjudication.grading.pristine import NotGradable
from adjudication.management.grading import machine_grader, meant_instance
from workbench.commands import ProductCommand, WrongUse
from workbench.jobs.scratch import own_scratch
from workbench.lean.pretty import Shown


class Command(ProductCommand):
    help = "Show what a declaration of an instance means: its elaborated statement, the hash of that, and its axioms."

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "instance",
            metavar="INSTANCE",
            help="folder or archive of an instance, or the name of an imported one",
        )
        parser.add_argument(
            "name",
            metavar="NAME",
            help="a declaration: its full name, or the end of it",
        )
        parser.add_argument(
            "--implicits",
            action="store_true",
            help="show implicit arguments, instances and universe levels too",
        )

    def run(self, options: dict[str, Any]) -> Any:
        with own_scratch():
            return self._run(options)

    def _run(self, options: dict[str, Any]) -> Any:
        instance, revision, why_adapted = meant_instance(options["instance"])
        if why_adapted:
            self.say(f"{why_adapted}\nRead as adapted to pocket Lean instead.")
        shown = Shown.ALL if options["implicits"] else Shown.EXPLICIT
        try:
            found = elaborate(
                machine_grader(instance, thorough=False),
                instance,
                options["name"],
                shown,
            )
        except NoSuchTerm as error:
            raise WrongUse(str(error)) from None
        except NotGradable as error:
            raise WrongUse(f"{instance.name} cannot be read: {error}") from None
        self._tell(found)
        return {
            "instance": instance.manifest.benchmark_id,
            "revision": revision,
            "adapted": bool(why_adapted),
            **asdict(found),
            "constructors": [
                {"name": name, "type": type_} for name, type_ in found.constructors
            ],
            "implicits": options["implicits"],
        }

    def _tell(self, found: Elaborated) -> None:
        self.say(f"{found.kind} {found.name} : {found.type}")
        if found.value:
            self.say(f":=\n{indent(found.value, '  ')}")
        for name, type_ in found.constructors:
            self.say(f"  | {name} : {type_}")
        self.say(f"module  {found.module}")
        self.say(f"hash    {found.hash}")
        if found.statement:
            self.say(f"states  {found.statement}")
        self.say(f"axioms  {', '.join(found.axioms) or 'none'}")
