"""`bin/workbench verify-events`: is the record what was written?"""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from workbench.commands import NegativeResult, ProductCommand
from workbench.events.actions.verify_events import verify_events


class Command(ProductCommand):
    help = "Check the hash chain of all events; exit code 1 when an event was changed, removed or added out of turn."

    def run(self, options: dict[str, Any]) -> Any:
        result = verify_events(None)
        events = "one event" if result.events == 1 else f"{result.events:,} events"
        if result.broken:
            for sentence in result.broken:
                self.say(sentence)
            raise NegativeResult(f"The chain of {events} is broken.", asdict(result))
        self.say(f"The chain of {events} is whole.")
        return asdict(result)
