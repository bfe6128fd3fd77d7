"""`bin/workbench clean-up`: drop what need not be kept."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from django.core.management.base import CommandParser

from workbench.commands import ProductCommand
from workbench.upkeep.disk import free_bytes, size_words
from workbench.upkeep.retention import clean_up


class Command(ProductCommand):
    help = "Drop old logs, scratch folders and whatever else need not be kept, and say what was removed."

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--dry-run", action="store_true", help="only say what would be removed"
        )

    def run(self, options: dict[str, Any]) -> Any:
        dry = options["dry_run"]
        if dry:
            self.say("Nothing is removed; this is what would be:")
        done = clean_up(dry=dry, tell=lambda outcome: self.say(outcome.words))
        self.say(f"{size_words(free_bytes())} are free on the disk of the data folder.")
        return {
            "dry_run": dry,
            "rules": [asdict(outcome) for outcome in done],
            "free": free_bytes(),
        }
