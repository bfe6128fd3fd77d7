"""Give the files of an instance back, byte for byte."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from curation.instances.management.revisions import (
    add_revision_arguments,
    asked_revision,
    write_or_explain,
)
from curation.reviews.file_marks import files_with_marks
from workbench.commands import ProductCommand, WrongUse
from workbench.content.trees import read_tree


class Command(ProductCommand):
    help = "Write the files of an instance into a new folder, byte for byte as they were imported."

    def arguments(self, parser: CommandParser) -> None:
        add_revision_arguments(parser)
        parser.add_argument(
            "--out",
            required=True,
            metavar="DIR",
            help="folder to make; must be missing or empty",
        )
        parser.add_argument(
            "--marks",
            action="store_true",
            help="write the state of the review above each definition, as -- !curation @review lines",
        )

    def run(self, options: dict[str, Any]) -> Any:
        revision = asked_revision(options)
        if options["marks"] and not revision.is_current:
            raise WrongUse(
                f"--marks: the state of the review is that of the current revision, not of r{revision.number}"
            )
        files = (
            files_with_marks(revision)
            if options["marks"]
            else read_tree(revision.snapshot)
        )
        write_or_explain(files, Path(options["out"]))
        self.say(f"{revision}: {len(files)} files written to {options['out']}")
        return {
            "instance": revision.instance.slug,
            "revision": revision.number,
            "files": len(files),
            "tree": revision.snapshot.digest,
            "out": options["out"],
        }
