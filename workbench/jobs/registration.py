"""What jobs add to the pages that all apps share."""

from __future__ import annotations

from django.urls import reverse

from workbench.access.objects import Kind, kinds
from workbench.events.telling import Telling, tellings
from workbench.jobs import panels
from workbench.jobs.selectors import visible_jobs
from workbench.ui.checks import Check, checks
from workbench.ui.keymap import GO, Key, keymap
from workbench.ui.navigation import Entry, navigation
from workbench.ui.panels import Fact, Panel, home_facts, home_panels, operations_panels


def register() -> None:
    """Add this app's pages, panels, checks, keys and words."""
    kinds.add(Kind("job", lambda pk: reverse("jobs:detail", args=[pk]), visible_jobs))
    navigation.add(Entry("Jobs", "jobs:list", 70))
    keymap.add(Key("g j", "jobs", GO, "go", "jobs:list", order=35))
    home_panels.add(Panel("Jobs", "jobs/home_panel.html", panels.home_jobs, 40))
    home_facts.add(
        Fact("Jobs", panels.running_jobs, 40), Fact("Workers", panels.workers_up, 41)
    )
    operations_panels.add(
        Panel("Workers", "jobs/operations_panel.html", panels.operations, 20)
    )
    checks.add(Check("Workers", panels.workers, 30))
    tellings.add(
        Telling("job.submitted", "submitted {object}"),
        Telling("job.finished", "finished {object}: {summary}"),
        Telling("job.failed", "could not finish {object}: {error}"),
        Telling("job.declined", "stopped {object} at a limit: {error}"),
        Telling("job.cancelled", "cancelled {object}"),
        Telling("job.retried", "put {object} back into the queue"),
    )
