from __future__ import annotations

from django.apps import AppConfig


class ContentConfig(AppConfig):
    name = "workbench.content"
