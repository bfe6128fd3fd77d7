from __future__ import annotations

from django.apps import AppConfig


class InstancesConfig(AppConfig):
    name = "curation.instances"
