"""`bin/workbench verify-events`: is the record what was written?"""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from django.core.management.base import CommandParser

from workbench.commands import NegativeResult, ProductCommand, WrongUse
from workbench.events.actions.verify_events import verify_events


class Command(ProductCommand):
    help = "Check the hash chain of all events; exit code 1 when an event was changed, removed or added out of turn."

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--expect",
            default="",
            metavar="NUMBER:HASH",
            help="an event that must still be there: the head that an earlier check or a backup named",
        )

    def run(self, options: dict[str, Any]) -> Any:
        try:
            result = verify_events(None, options["expect"])
        except ValueError as error:
            raise WrongUse(f"--expect: {error}") from None
        events = "one event" if result.events == 1 else f"{result.events:,} events"
        if result.broken:
            for sentence in result.broken:
                self.say(sentence)
            raise NegativeResult(f"The chain of {events} is broken.", asdict(result))
        self.say(f"The chain of {events} is whole.")
        self.say(f"Its head is now {result.head}")
        return asdict(result)
