"""Hand in submissions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from adjudication.grading.intake import take_in
from adjudication.runs.actions.name_configuration import BadName, name_configuration
from adjudication.runs.actions.submit_artifact import HandedIn, refuse, submit_artifact
from adjudication.runs.models import Adaptation, Configuration
from curation.format.findings import FormatError
from curation.format.instance import load_files
from curation.format.slots import MODES
from curation.instances.selectors.instances import NoSuchInstance, named_instance
from workbench.commands import NegativeResult, ProductCommand, WrongUse
from workbench.content.trees import read_tree


class Command(ProductCommand):
    help = "Hand in submissions: each is graded in the background. The same work twice is one submission."

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "instance", metavar="INSTANCE", help="name of an imported instance"
        )
        parser.add_argument(
            "paths",
            nargs="+",
            metavar="PATH",
            help="an artifact.json, or a folder or archive with the slots filled in and perhaps a run.json",
        )
        parser.add_argument("--mode", required=True, choices=MODES)
        parser.add_argument(
            "--harness", required=True, help="who made it, for example Codex"
        )
        parser.add_argument("--model", default="")
        parser.add_argument("--effort", default="")
        parser.add_argument(
            "--adapted",
            action="store_true",
            help="grade on what `adapt` kept of the revision; such a verdict is never published",
        )
        parser.add_argument(
            "--revision", type=int, help="number of the revision (default: the newest)"
        )

    def run(self, options: dict[str, Any]) -> Any:
        try:
            instance = named_instance(options["instance"])
            configuration = name_configuration(
                None,
                instance.team,
                options["harness"],
                options["model"],
                options["effort"],
            )
        except (NoSuchInstance, BadName) as error:
            raise WrongUse(str(error)) from None
        revisions = instance.revisions.select_related("snapshot", "instance")
        if options["revision"]:
            revision = revisions.filter(number=options["revision"]).first()
        else:
            revision = revisions.filter(is_current=True).first()
        if revision is None:
            raise WrongUse(f"{instance} has no revision {options['revision']}")
        adaptation = None
        if options["adapted"]:
            adaptation = Adaptation.objects.filter(revision=revision).first()
            if adaptation is None:
                raise WrongUse(
                    f"{revision} was not adapted: bin/workbench adapt {instance.slug} --to pocket"
                )
        built = adaptation.snapshot if adaptation else revision.snapshot
        loaded = load_files(read_tree(built), instance.slug)
        results: list[dict[str, Any]] = []
        for path in map(Path, options["paths"]):
            try:
                if not path.exists():
                    raise FormatError("is not there")
                taken = take_in(loaded, options["mode"], path)
            except FormatError as error:
                size = path.stat().st_size if path.is_file() else 0
                refuse(None, instance.team, str(path), size, str(error))
                self.say(f"{path}: not taken: {error}")
                results.append({"path": str(path), "error": str(error)})
                continue
            done = submit_artifact(
                None,
                configuration,
                revision,
                taken,
                file_name=path.name,
                adaptation=adaptation,
            )
            self.say(_sentence(done, path, configuration))
            results.append(
                {
                    "path": str(path),
                    "submission": done.submission.pk,
                    "run": done.run.pk,
                    "new": done.new,
                    "error": "",
                }
            )
        document = {"submissions": results}
        refused = [one for one in results if one["error"]]
        if refused:
            raise NegativeResult(
                f"{len(refused)} of {len(results)} were not taken", document
            )
        return document


def _sentence(done: HandedIn, path: Path, configuration: Configuration) -> str:
    if not done.new:
        return f"{path}: here already as submission {done.submission.pk}, {done.run}"
    return (
        f"{path}: submission {done.submission.pk} by {configuration}, {done.run} queued"
    )
