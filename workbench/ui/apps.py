from __future__ import annotations

from django.apps import AppConfig


class UiConfig(AppConfig):
    name = "workbench.ui"

    def ready(self) -> None:
        from workbench.ui.navigation import Entry, navigation

        navigation.add(Entry("Home", "home", 10), Entry("Operations", "operations", 90))
