"""What submissions and runs add to the frame."""

from __future__ import annotations

from django.urls import reverse

from adjudication.runs import jobs as jobs  # declares them
from adjudication.runs import machine as machine  # offers what this machine can grade
from adjudication.runs import panels
from adjudication.runs.models import GradingRun, Submission
from adjudication.runs.selectors.visible import (
    visible_runs,
    visible_sets,
    visible_submissions,
)
from adjudication.runs.undoing import all_undoers
from curation.instances import contributions
from curation.instances.contributions import InstancePanel
from curation.reviews.undo import undoers
from workbench.access.objects import Kind, kinds
from workbench.events.telling import Telling, tellings
from workbench.ui.keymap import GO, Key, keymap
from workbench.ui.navigation import Entry, navigation
from workbench.ui.panels import Panel, home_panels, operations_panels
from workbench.ui.search import Provider, providers


def register() -> None:
    """Add everything. Called once, when the app starts."""
    navigation.add(Entry("Grading", "runs:list", order=40, count=panels.under_way))
    keymap.add(Key("g r", "grading runs", GO, "go", "runs:list", order=33))
    home_panels.add(
        Panel("Gradings", "runs/home_panel.html", panels.home_panel, order=30)
    )
    operations_panels.add(
        Panel("Canaries", "runs/operations_panel.html", panels.operations_panel, 60)
    )
    contributions.panels.append(
        InstancePanel(
            "adaptation", "runs/adaptation_panel.html", panels.adaptation_panel
        )
    )
    contributions.panels.append(
        InstancePanel("terms", "runs/terms_panel.html", panels.terms_panel)
    )
    providers.add(
        Provider("runs", panels.find_runs, order=40),
        Provider("submissions", panels.find_submissions, order=41),
    )
    kinds.add(
        Kind("gradingrun", lambda pk: reverse("runs:detail", args=[pk]), visible_runs),
        Kind(
            "submission",
            lambda pk: reverse("runs:submission", args=[pk]),
            visible_submissions,
        ),
        Kind(
            "regradeset",
            lambda pk: reverse("runs:regrade_set", args=[pk]),
            visible_sets,
        ),
    )
    undoers.add(*all_undoers())
    tellings.add(
        Telling("revision.adapted", "adapted {object} by {edits:edit}"),
        Telling("submission.made", "handed in {object}"),
        Telling("submission.retired", "retired {object}"),
        Telling("submission.restored", "put {object} back"),
        Telling("run.queued", "queued {object} ({purpose})"),
        Telling("run.graded", "graded {object}: {passed} of {specs} specs passed"),
        Telling("configuration.named", "named the configuration {object}"),
        Telling("regrade.made", "made the regrade set {object}: {runs:run}"),
        Telling("regrade.applied", "applied the regrade set {object} to {runs:run}"),
        Telling("regrade.cancelled", "cancelled the regrade set {object}"),
        Telling(
            "canaries.tried",
            "tried the {object}: {cheats:cheat}, {honest:honest one}",
        ),
    )


__all__ = ["GradingRun", "Submission", "register", "visible_runs"]
