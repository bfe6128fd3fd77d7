"""Import reported results."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from adjudication.standings.actions.import_results import import_results
from adjudication.standings.results_csv import TableError, read_costs, read_results
from curation.instances.management.teams import asked_team
from workbench.commands import ProductCommand, WrongUse
from workbench.ui.templatetags.ui import plural


class Command(ProductCommand):
    help = "Import reported results: passed specs per instance, without proofs. They are marked as reported."

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "file",
            metavar="FILE",
            help="CSV with the columns track, instance, specs, and NAME_cp or NAME_po for each configuration and mode",
        )
        parser.add_argument(
            "--costs", metavar="FILE", help="CSV with the columns column, cost_usd"
        )
        parser.add_argument(
            "--set", required=True, metavar="NAME", help="the set; made if it is new"
        )
        parser.add_argument(
            "--team", metavar="T", help="slug of the team (default: the only team)"
        )

    def run(self, options: dict[str, Any]) -> Any:
        try:
            results = read_results(_bytes(options["file"]))
        except TableError as error:
            raise WrongUse(f"{options['file']}: {error}") from None
        costs = {}
        if options["costs"]:
            try:
                costs = read_costs(_bytes(options["costs"]), results.columns)
            except TableError as error:
                raise WrongUse(f"{options['costs']}: {error}") from None
        try:
            done = import_results(
                None, asked_team(options["team"]), options["set"], results, costs
            )
        except TableError as error:
            raise WrongUse(f"{options['file']}: {error}") from None
        self.say(
            f"{done.set}: {plural(done.cells, 'reported cell')} of {plural(len(results.columns), 'column')}, {plural(done.members, 'instance')}"
        )
        return {
            "set": done.set.slug,
            "new": done.made,
            "cells": done.cells,
            "instances": done.members,
            "columns": [column.key for column in results.columns],
        }


def _bytes(name: str) -> bytes:
    path = Path(name)
    try:
        return path.read_bytes()
    except OSError as error:
        raise WrongUse(f"{path} cannot be read: {error.strerror}") from None
