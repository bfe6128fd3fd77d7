from __future__ import annotations

from django.apps import AppConfig


class AuditsConfig(AppConfig):
    name = "adjudication.audits"

    def ready(self) -> None:
        from adjudication.audits.registration import register

        register()
