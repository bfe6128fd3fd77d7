from __future__ import annotations

from django.apps import AppConfig


class EventsConfig(AppConfig):
    name = "workbench.events"

    def ready(self) -> None:
        from workbench.events.panels import chain, recent_activity
        from workbench.events.telling import Telling, tellings
        from workbench.ui.checks import Check, checks
        from workbench.ui.navigation import Entry, navigation
        from workbench.ui.panels import RAIL, Panel, home_panels

        navigation.add(Entry("Events", "events:list", 80))
        home_panels.add(
            Panel("Activity", "events/activity.html", recent_activity, 90, RAIL)
        )
        checks.add(Check("Event chain", chain, 20))
        tellings.add(
            Telling("record.verified", "checked the chain of {events:event}: whole"),
            Telling(
                "record.broken",
                "checked the chain of {events:event}: {broken:place} broken",
            ),
        )
