"""The app that carries the commands of adjudication. Its parts with models are apps of their own."""

from __future__ import annotations

from django.apps import AppConfig


class AdjudicationConfig(AppConfig):
    name = "adjudication"
    verbose_name = "Adjudication"

    def ready(self) -> None:
        from adjudication import restored

        restored.register()
