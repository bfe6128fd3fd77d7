"""Grade the submissions of an instance again, as a set."""

from __future__ import annotations

import time
import uuid
from typing import Any

from django.core.management.base import CommandParser

from adjudication.runs.actions.regrade import (
    NothingChosen,
    WrongState,
    apply_regrade_set,
    make_regrade_set,
)
from adjudication.runs.models import RegradeSet
from adjudication.runs.selectors.compare import set_matrix
from curation.format.slots import MODES
from curation.instances.selectors.instances import NoSuchInstance, named_instance
from workbench.commands import NegativeResult, ProductCommand, WrongUse
from workbench.ui.templatetags.ui import plural

_ASKS_EVERY_S = 1.0


class Command(ProductCommand):
    help = "Grade submissions again beside their current results; --apply makes the new results count, all at once."

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--instance", default="", help="name of the instance")
        parser.add_argument("--mode", choices=MODES, help="only this mode")
        parser.add_argument("--reason", default="", help="why they are graded again")
        parser.add_argument(
            "--newest",
            action="store_true",
            help="against the newest revision instead of the submitted one",
        )
        parser.add_argument(
            "--set", type=int, metavar="ID", help="this set instead of a new one"
        )
        parser.add_argument(
            "--apply",
            action="store_true",
            help="wait until every run has ended and make the results count",
        )
        parser.add_argument(
            "--wait", type=int, default=3600, metavar="SECONDS", help="at most so long"
        )

    def run(self, options: dict[str, Any]) -> Any:
        found = _existing(options["set"]) if options["set"] else _made(options)
        document: dict[str, Any] = {"set": found.pk, "runs": found.runs.count()}
        self.say(f"regrade set {found.pk}: {document['runs']} runs")
        if options["apply"]:
            _wait(found, options["wait"])
        document["under_way"] = found.runs.under_way().count()
        document["changes"] = [
            {"old": cell.old, "new": cell.new, "specs": cell.number}
            for _, cells in set_matrix(found).rows
            for cell in cells
            if cell
        ]
        for change in document["changes"]:
            self.say(f"{change['old']} → {change['new']}: {change['specs']}")
        if options["apply"]:
            try:
                applied = apply_regrade_set(None, found)
            except WrongState as error:
                raise NegativeResult(str(error), document) from None
            document |= {"current": applied.current, "left": applied.left}
            self.say(f"applied: {plural(applied.current, 'run counts,runs count')} now")
        return document


def _existing(pk: int) -> RegradeSet:
    found = RegradeSet.objects.filter(pk=pk).first()
    if found is None:
        raise WrongUse(f"there is no regrade set {pk}")
    return found


def _made(options: dict[str, Any]) -> RegradeSet:
    if not options["instance"] or not options["reason"].strip():
        raise WrongUse("expected --instance and --reason, or --set")
    try:
        instance = named_instance(options["instance"])
    except NoSuchInstance as error:
        raise WrongUse(str(error)) from None
    runs = instance.runs.regradable()
    query = f"instance={instance.slug}"
    if options["mode"]:
        runs = runs.filter(submission__mode=options["mode"])
        query += f"&mode={options['mode']}"
    try:
        return make_regrade_set(
            None,
            instance.team,
            runs.select_related("submission__team", "instance", "revision"),
            title=options["reason"][:80],
            reason=options["reason"],
            query=query,
            on_current_revision=options["newest"],
            key=f"command:{uuid.uuid4().hex}",
        )
    except NothingChosen as error:
        raise WrongUse(str(error)) from None


def _wait(found: RegradeSet, seconds: int) -> None:
    end = time.monotonic() + seconds
    while found.runs.under_way().exists() and time.monotonic() < end:
        time.sleep(_ASKS_EVERY_S)
