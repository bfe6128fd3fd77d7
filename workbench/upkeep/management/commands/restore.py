"""`bin/workbench restore`: put a backup back and check it."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from workbench.commands import NegativeResult, ProductCommand, WrongUse
from workbench.upkeep.backup.archive import BadBackup
from workbench.upkeep.backup.restore import CannotRestore, restore


class Command(ProductCommand):
    help = "Put a backup back, then check the record and the receipts. Exit code 1: something in it is not whole."

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("backup", metavar="FILE")
        parser.add_argument(
            "--replace",
            action="store_true",
            help="drop what the database holds, and set aside files that are in the way",
        )

    def run(self, options: dict[str, Any]) -> Any:
        source = Path(options["backup"])
        try:
            done = restore(source, replace=options["replace"])
        except (BadBackup, CannotRestore) as error:
            raise WrongUse(str(error)) from None
        except OSError as error:
            raise WrongUse(f"{source}: {error.strerror or error}.") from None
        self.say(f"Put back what was saved on {done.made_at}: the database and {done.files:,} files.")  # fmt: skip
        for path in done.set_aside:
            self.say(f"set aside: {path}")
        for name, number in done.checked.items():
            self.say(f"checked: {number:,} {name}")
        if done.wrong:
            for sentence in done.wrong:
                self.say(sentence)
            raise NegativeResult(
                f"{len(done.wrong)} things are not whole; the first: {done.wrong[0]}",
                asdict(done),
            )
        self.say("All of it is whole.")
        return asdict(done)
