from __future__ import annotations

from django.apps import AppConfig


class CodeConfig(AppConfig):
    name = "workbench.code"
