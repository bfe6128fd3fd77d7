from __future__ import annotations

from django.apps import AppConfig


class InstancesConfig(AppConfig):
    name = "curation.instances"

    def ready(self) -> None:
        from curation.instances.registration import register

        register()
