from __future__ import annotations

from django.apps import AppConfig


class UpkeepConfig(AppConfig):
    name = "workbench.upkeep"

    def ready(self) -> None:
        from workbench.events.telling import Telling, tellings
        from workbench.ui.checks import Check, checks
        from workbench.ui.panels import Panel, operations_panels
        from workbench.upkeep import own_rules
        from workbench.upkeep.panels import backup, storage

        own_rules.register()
        checks.add(Check("Backup", backup, 22))
        operations_panels.add(
            Panel("Storage", "upkeep/storage_panel.html", storage, 40)
        )
        tellings.add(
            Telling("backup.made", "made a backup up to event {head}"),
            Telling("backup.restored", "put back the backup of {made_at}"),
        )
