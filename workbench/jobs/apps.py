from __future__ import annotations

from django.apps import AppConfig
from django.utils.module_loading import autodiscover_modules


class JobsConfig(AppConfig):
    name = "workbench.jobs"

    def ready(self) -> None:
        from workbench.jobs.registration import register

        register()
        autodiscover_modules("jobs")
