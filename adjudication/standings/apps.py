from __future__ import annotations

from django.apps import AppConfig


class StandingsConfig(AppConfig):
    name = "adjudication.standings"

    def ready(self) -> None:
        from adjudication.standings.registration import register

        register()
