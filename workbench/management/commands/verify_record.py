"""bin/workbench verify-record: read the whole record of events and say where it was changed."""

from __future__ import annotations

from typing import Any

from workbench.commands import NegativeResult, ProductCommand
from workbench.events.log import broken_links
from workbench.events.models import Event


class Command(ProductCommand):
    help = "Check the hash chain over every event. Exit code 1: an event was changed, removed or put in."

    def run(self, options: dict[str, Any]) -> Any:
        broken = list(broken_links())
        document = {"events": Event.objects.count(), "broken": broken}
        for sentence in broken:
            self.say(sentence)
        if broken:
            raise NegativeResult(
                f"workbench: the record does not hold in {len(broken)} places.",
                document,
            )
        self.say(f"The record of {document['events']} events is whole.")
        return document
