"""Write the verified cells of boards anew."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandParser

from adjudication.standings.cells import rebuild_cells
from adjudication.standings.models import InstanceSet
from workbench.commands import ProductCommand, WrongUse


class Command(ProductCommand):
    help = "Write the verified cells of boards anew from the current outcomes."

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--set", metavar="NAME", help="only this set")

    def run(self, options: dict[str, Any]) -> Any:
        sets = InstanceSet.objects.all()
        if options["set"]:
            sets = sets.filter(slug=options["set"])
            if not sets:
                raise WrongUse(f"there is no set {options['set']!r}")
        results = []
        for found in sets:
            cells = rebuild_cells(found)
            self.say(f"{found.slug}: {cells} verified cells")
            results.append({"set": found.slug, "cells": cells})
        return {"sets": results}
