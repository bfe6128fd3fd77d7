"""Import instances from folders or archives."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from curation.format.findings import FormatError
from curation.format.packed import read_tree
from curation.instances.actions.import_revision import Imported, import_revision
from curation.instances.loading import Loaded, load_path
from curation.instances.management.teams import asked_team
from curation.instances.models import LinkGap, RevisionFinding
from curation.instances.upstream import UPSTREAM_LIMITS, text_files
from workbench.access.models import Team
from workbench.commands import NegativeResult, ProductCommand, WrongUse
from workbench.ui.templatetags.ui import plural


class Command(ProductCommand):
    help = (
        "Import instances from folders or archives; what is here already is left alone."
    )

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "paths",
            nargs="+",
            metavar="PATH",
            help="folder or archive with one or more instances",
        )
        parser.add_argument(
            "--source",
            metavar="DIR",
            help="upstream files; with several instances, one folder a name below DIR",
        )
        parser.add_argument(
            "--team",
            metavar="T",
            help="slug of the team that gets them (default: the only team)",
        )
        parser.add_argument("--note", default="", help="why, kept with the revision")

    def run(self, options: dict[str, Any]) -> Any:
        team = asked_team(options["team"])
        source = Path(options["source"]) if options["source"] else None
        if source is not None and not source.is_dir():
            raise WrongUse(f"--source {source}: there is no such folder")
        paths = [Path(path) for path in options["paths"]]
        alone = len(paths) == 1
        results = []
        for path in paths:
            found = list(load_path(path))
            for loaded in found:
                files, problem = _source_files(
                    source, loaded.name, alone and len(found) == 1
                )
                results.append(
                    self._import(team, loaded, files, problem, options["note"])
                )
        document = {"instances": results}
        failed = [result for result in results if result["error"]]
        if failed:
            raise NegativeResult(
                f"{len(failed)} of {len(results)} were not imported", document
            )
        return document

    def _import(
        self,
        team: Team,
        loaded: Loaded,
        files: Mapping[str, bytes] | None,
        problem: str,
        note: str,
    ) -> dict[str, Any]:
        error = problem or loaded.error
        if loaded.instance is not None and not error:
            try:
                done = import_revision(
                    None, team, loaded.instance, source_files=files, note=note
                )
            except FormatError as refused:
                error = str(refused)
            else:
                self.say(_sentence(done))
                return _document(done)
        self.say(f"{loaded.name}: not imported: {error}")
        return {
            "instance": loaded.name,
            "revision": None,
            "modules": 0,
            "apis": 0,
            "specs": 0,
            "findings": [],
            "error": error,
        }


def _source_files(
    source: Path | None, name: str, alone: bool
) -> tuple[Mapping[str, bytes] | None, str]:
    """Return the upstream files for the instance `name`, and what is wrong with them."""
    if source is None:
        return None, ""
    folder = source if alone else source / name
    if not folder.is_dir():
        return None, ""
    try:
        return text_files(read_tree(folder, UPSTREAM_LIMITS)), ""
    except FormatError as error:
        return None, f"source {error}"


def _sentence(done: Imported) -> str:
    revision = done.revision
    name = f"{revision.instance.slug} r{revision.number}"
    if not done.changed:
        return f"{name}: nothing has changed"
    counts = (
        (revision.module_count, "module"),
        (revision.api_count, "API"),
        (revision.spec_count, "spec"),
    )
    words = ", ".join(plural(number, word) for number, word in counts)
    if revision.number > 1:
        change = done.differences
        words += f"; {change.added} added, {change.changed} changed, {change.removed} removed"
    if done.source.linked or done.source.unlinked:
        words += f"; {done.source.linked} of {done.source.linked + done.source.unlinked} linked to the source"
    problems = f"{plural(revision.error_count, 'error')}, {plural(revision.warning_count, 'warning')}"
    return f"{name}: {words}; {problems}"


def _document(done: Imported) -> dict[str, Any]:
    revision = done.revision
    gaps = LinkGap.objects.filter(source=revision.source_id).select_related(
        "definition"
    )
    findings = RevisionFinding.objects.filter(revision=revision).order_by("pk")
    return {
        "instance": revision.instance.slug,
        "revision": revision.number,
        "modules": revision.module_count,
        "apis": revision.api_count,
        "specs": revision.spec_count,
        "definitions": revision.definition_count,
        "changed": done.changed,
        "report": {
            "added": done.differences.added,
            "changed": done.differences.changed,
            "removed": done.differences.removed,
        },
        "source": {
            "items": revision.item_count,
            "linked": done.source.linked,
            "unlinked": done.source.unlinked,
            "open": [
                {
                    "definition": gap.definition.lean_name,
                    "code": gap.code,
                    "reason": gap.reason,
                }
                for gap in gaps
            ],
        },
        "findings": [
            {
                "id": row.code,
                "severity": row.severity,
                "path": row.path,
                "line": row.line,
                "message": row.message,
            }
            for row in findings
        ],
        "error": None,
    }
