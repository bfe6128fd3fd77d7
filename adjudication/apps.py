"""The app that carries the commands of adjudication. Its parts with models are apps of their own."""

from __future__ import annotations

from django.apps import AppConfig


class AdjudicationConfig(AppConfig):
    name = "adjudication"
    verbose_name = "Adjudication"

    def ready(self) -> None:
        from adjudication import demo_audit as demo_audit  # declares its job
        from adjudication import demo_release as demo_release  # declares its job
        from adjudication.demo import seed_runs
        from curation.instances import demo

        demo.runs.append(seed_runs)
        from adjudication import restored, upkeep

        restored.register()
        upkeep.register()
