from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from django.apps import AppConfig
from django.conf import settings


class WorkbenchConfig(AppConfig):
    name = "workbench"

    def ready(self) -> None:
        from workbench import doctor

        # Styles are served from where they are; WhiteNoise warns about a folder for collected ones all the same.
        with suppress(OSError):
            Path(settings.STATIC_ROOT).mkdir(exist_ok=True)
        doctor.register()
