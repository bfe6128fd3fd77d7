from __future__ import annotations

from django.apps import AppConfig


class WorkbenchConfig(AppConfig):
    name = "workbench"

    def ready(self) -> None:
        from workbench import doctor

        doctor.register()
