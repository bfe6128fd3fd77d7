"""The code panes as a Django app: it has template tags and a cache, no models."""

from __future__ import annotations

from django.apps import AppConfig


class CodeConfig(AppConfig):
    name = "workbench.code"
    label = "code"
    verbose_name = "Code panes"
