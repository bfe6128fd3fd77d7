"""Adapt an instance to another toolchain."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from adjudication.grading.adapting import adapt, report
from adjudication.management.grading import asked_instance
from curation.instances.management.revisions import write_or_explain
from workbench.commands import ProductCommand


class Command(ProductCommand):
    help = "Write a copy of an instance, adapted to another toolchain by mechanical edits that are all listed."

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("instance", metavar="INSTANCE")
        parser.add_argument("--to", required=True, choices=["pocket"])
        parser.add_argument("--out", required=True, metavar="DIR")

    def run(self, options: dict[str, Any]) -> Any:
        instance, _ = asked_instance(options["instance"])
        adapted = adapt(instance)
        write_or_explain(adapted.files, Path(options["out"]))
        for edit in adapted.edits:
            self.say(f"{edit.path}:{edit.line}: {edit.kind}: {edit.what}")
        counts = Counter(edit.kind for edit in adapted.edits)
        self.say(f"{len(adapted.files)} files in {options['out']}: {report(counts)}")
        return {
            "instance": instance.name,
            "to": options["to"],
            "out": options["out"],
            "files": len(adapted.files),
            "edits": [edit._asdict() for edit in adapted.edits],
        }
