"""Show what a solver sees of an instance."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from curation.format.findings import FormatError
from curation.format.instance import load_files
from curation.format.render import render
from curation.format.slots import MODES
from curation.instances.management.revisions import (
    add_revision_arguments,
    asked_revision,
    write_or_explain,
)
from workbench.commands import NegativeResult, ProductCommand
from workbench.content.trees import read_tree, tree_digest


class Command(ProductCommand):
    help = "Write what a solver sees of an instance in one mode: stubs to fill, nothing leaked."

    def arguments(self, parser: CommandParser) -> None:
        add_revision_arguments(parser)
        parser.add_argument("--mode", required=True, choices=MODES)
        parser.add_argument(
            "--out",
            required=True,
            metavar="DIR",
            help="folder to make; must be missing or empty",
        )

    def run(self, options: dict[str, Any]) -> Any:
        revision = asked_revision(options)
        try:
            files = render(
                load_files(read_tree(revision.snapshot), revision.instance.slug),
                options["mode"],
            )
        except FormatError as error:
            raise NegativeResult(
                f"{revision} cannot be rendered: {error}", {"error": str(error)}
            ) from None
        write_or_explain(files, Path(options["out"]))
        self.say(
            f"{revision}, {options['mode']}: {len(files)} files written to {options['out']}"
        )
        return {
            "instance": revision.instance.slug,
            "revision": revision.number,
            "mode": options["mode"],
            "files": len(files),
            "tree": tree_digest(files),
            "out": options["out"],
        }
