"""Adapt an instance to another toolchain."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from adjudication.grading.adapting import CannotAdapt, adapt, page_of, report
from adjudication.management.grading import asked_instance
from adjudication.runs.actions.adapt_revision import adapt_revision
from curation.instances.management.revisions import write_or_explain
from curation.instances.selectors.instances import NoSuchInstance, named_instance
from workbench.commands import ProductCommand, WrongUse

_PAGES = "What each kind of edit means: docs/adaptation/"


class Command(ProductCommand):
    help = "Adapt an instance to another toolchain by mechanical edits that are all listed."

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("instance", metavar="INSTANCE")
        parser.add_argument("--to", required=True, choices=["pocket"])
        parser.add_argument(
            "--out",
            metavar="DIR",
            help="write a folder; without it, the adaptation of an imported instance is kept beside its revision",
        )

    def run(self, options: dict[str, Any]) -> Any:
        if not options["out"]:
            return self._keep(options)
        instance, _ = asked_instance(options["instance"])
        try:
            adapted = adapt(instance)
        except CannotAdapt as error:
            raise WrongUse(str(error)) from None
        write_or_explain(adapted.files, Path(options["out"]))
        for edit in adapted.edits:
            self.say(f"{edit.path}:{edit.line}: {edit.kind}: {edit.what}")
        counts = Counter(edit.kind for edit in adapted.edits)
        self.say(f"{len(adapted.files)} files in {options['out']}: {report(counts)}")
        self.say(_PAGES)
        return {
            "instance": instance.name,
            "to": options["to"],
            "out": options["out"],
            "files": len(adapted.files),
            "edits": [
                {**edit._asdict(), "page": page_of(edit.kind)} for edit in adapted.edits
            ],
        }

    def _keep(self, options: dict[str, Any]) -> Any:
        """Keep the adaptation of an imported instance's current revision."""
        try:
            instance = named_instance(options["instance"])
            revision = instance.revisions.select_related(
                "snapshot", "instance__team"
            ).get(is_current=True)
            made = adapt_revision(None, revision)
        except NoSuchInstance as error:
            raise WrongUse(
                f"{error}; for a folder or an archive say --out DIR"
            ) from None
        except CannotAdapt as error:
            raise WrongUse(str(error)) from None
        edits = list(made.edits.all())
        for edit in edits:
            self.say(f"{edit.path}:{edit.line}: {edit.kind}: {edit.what}")
        counts = Counter(edit.kind for edit in edits)
        self.say(f"{made}: {report(counts)}")
        self.say(_PAGES)
        return {
            "instance": instance.slug,
            "revision": revision.number,
            "to": options["to"],
            "tree": made.snapshot.digest,
            "edits": [
                {
                    "path": edit.path,
                    "line": edit.line,
                    "kind": edit.kind,
                    "what": edit.what,
                    "page": page_of(edit.kind),
                }
                for edit in edits
            ],
        }
