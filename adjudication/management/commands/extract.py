"""Take the slots out of a filled folder or archive."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from adjudication.grading.intake import take_in
from adjudication.management.grading import meant_instance
from curation.format.artifact import write_artifact
from curation.format.findings import FormatError
from curation.format.slots import MODES
from workbench.commands import ProductCommand, WrongUse


class Command(ProductCommand):
    help = "Take the slots out of a filled folder or archive and write them as an artifact.json."

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("instance", metavar="INSTANCE")
        parser.add_argument("--mode", required=True, choices=MODES)
        parser.add_argument("--artifact", required=True, metavar="PATH")
        parser.add_argument("--out", required=True, metavar="FILE")

    def run(self, options: dict[str, Any]) -> Any:
        instance, revision, why_adapted = meant_instance(options["instance"])
        if why_adapted:
            self.say(f"{why_adapted}\nRead as adapted to pocket Lean instead.")
        try:
            found = take_in(instance, options["mode"], Path(options["artifact"]))
        except FormatError as error:
            raise WrongUse(f"{options['artifact']}: {error}") from None
        try:
            Path(options["out"]).write_bytes(write_artifact(found.artifact))
        except OSError as error:
            raise WrongUse(f"cannot write {options['out']}: {error.strerror}") from None
        slots = [item for item in found.artifact.slots if item.found]
        for note in found.notes:
            self.say(f"note: {note}")
        self.say(f"{len(slots)} slots written to {options['out']}")
        return {
            "out": options["out"],
            "slots": len(slots),
            "notes": list(found.notes),
            "revision": revision,
            "adapted": bool(why_adapted),
        }
