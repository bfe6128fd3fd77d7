from __future__ import annotations

from django.apps import AppConfig


class RunsConfig(AppConfig):
    name = "adjudication.runs"

    def ready(self) -> None:
        from adjudication.runs.registration import register

        register()
