"""What boards add to the frame, and to what follows from a run."""

from __future__ import annotations

from django.urls import reverse

from adjudication.runs.consequences import consequences, retirements
from adjudication.standings import median, panels
from adjudication.standings.cells import follow_revision, refresh_cells, refresh_place
from adjudication.standings.selectors.visible import (
    visible_boards,
    visible_configurations,
)
from curation.instances import contributions
from curation.instances.contributions import InstancePanel
from workbench.access.objects import Kind, kinds
from workbench.events.telling import Telling, tellings
from workbench.ui.keymap import GO, Key, keymap
from workbench.ui.navigation import Entry, navigation


def register() -> None:
    """Add everything. Called once, when the app starts."""
    median.register()
    consequences.append(refresh_cells)
    retirements.append(refresh_place)
    contributions.after_revision.append(follow_revision)
    contributions.tabs.append(panels.grades_tab)
    contributions.panels.append(
        InstancePanel("grades", "standings/grades_panel.html", panels.grades_panel)
    )
    navigation.add(Entry("Leaderboard", "boards:list", order=60))
    keymap.add(Key("g l", "leaderboard", GO, "go", "boards:list", order=34))
    kinds.add(
        Kind(
            "instanceset", lambda pk: reverse("boards:by_id", args=[pk]), visible_boards
        ),
        Kind(
            "configuration",
            lambda pk: reverse("boards:configuration_by_id", args=[pk]),
            visible_configurations,
        ),
    )
    tellings.add(
        Telling("set.made", "made the set {object}"),
        Telling("set.filled", "put {instances:instance} into {object}"),
        Telling("set.emptied", "took {member} out of {object}"),
        Telling("set.changed", "changed the policy of {object}"),
        Telling(
            "board.moved",
            "moved {object}: {configuration}, {mode}, on {member}: {before} → {after}",
        ),
        Telling(
            "board.resized",
            "changed {object}: {member} has {after:spec}, before {before}",
        ),
        Telling(
            "results.imported",
            "imported reported results into {object}: {rows:instance}, {cells:cell}",
        ),
    )
