from __future__ import annotations

from django.apps import AppConfig


class ReleasesConfig(AppConfig):
    name = "adjudication.releases"

    def ready(self) -> None:
        from adjudication.releases.registration import register

        register()
