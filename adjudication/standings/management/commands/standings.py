"""Print the board of a set."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandParser

from adjudication.runs.models import MODES
from adjudication.standings.document import document
from adjudication.standings.models import InstanceSet
from adjudication.standings.selectors.board import Board, board
from workbench.commands import ProductCommand, WrongUse
from workbench.ui.templatetags.ui import plural


class Command(ProductCommand):
    help = "Print the board of a set: full solves and specs passed, with their denominators."

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--set", required=True, metavar="NAME")
        parser.add_argument("--mode", choices=[mode for mode, _ in MODES])

    def run(self, options: dict[str, Any]) -> Any:
        found = InstanceSet.objects.filter(slug=options["set"], hidden=False).first()
        if found is None:
            known = ", ".join(InstanceSet.objects.values_list("slug", flat=True))
            raise WrongUse(
                f"there is no set {options['set']!r} (sets: {known or 'none'})"
            )
        standing = board(found, mode=options["mode"] or "")
        self._tell(standing)
        return document(standing)

    def _tell(self, standing: Board) -> None:
        self.say(
            f"{standing.set}: {plural(standing.instances, 'instance')}, {plural(standing.specs, 'spec')}"
        )
        width = max((len(str(row.configuration)) for row in standing.rows), default=0)
        for row in standing.rows:
            self.say(
                f"{row.rank:>3}  {row.configuration!s:{width}}  {row.mode:9}  {row.basis:8}  "
                f"{row.full_solves:>4} / {standing.instances}  {row.specs_passed:>6} / {standing.specs}  {row.micro:6.1%}"
            )
