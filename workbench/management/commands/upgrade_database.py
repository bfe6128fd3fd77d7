"""bin/workbench upgrade-database: bring the tables to this version."""

from __future__ import annotations

from typing import Any

from django.core.management import call_command
from django.db import DatabaseError

from workbench import databases
from workbench.commands import ProductCommand, WrongUse


class Command(ProductCommand):
    help = "Make the database's tables, or bring them to this version. Safe to repeat; take a backup first."

    def run(self, options: dict[str, Any]) -> Any:
        where = databases.place()
        try:
            databases.demand_reachable()
            missing = databases.unapplied()
            if missing:
                call_command("migrate", interactive=False, verbosity=0)
        except DatabaseError as error:
            raise WrongUse(
                databases.obstacle(error) or f"the database refused: {error}"
            ) from error
        for name in missing:
            self.say(f"applied {name}")
        if not missing:
            self.say(
                f"The {where.kind} database {where.name} is of this version already."
            )
        return {"database": where.kind, "place": where.name, "applied": missing}
