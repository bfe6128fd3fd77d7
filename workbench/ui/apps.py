from __future__ import annotations

from django.apps import AppConfig


class UiConfig(AppConfig):
    name = "workbench.ui"
