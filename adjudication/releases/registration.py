"""What releases add to the frame."""

from __future__ import annotations

from django.urls import reverse

from adjudication.releases import jobs as jobs  # declares them
from adjudication.releases import panels
from adjudication.releases.building import archives
from adjudication.releases.selectors.visible import visible_releases
from curation.instances import contributions
from workbench.access.objects import Kind, kinds
from workbench.events.telling import Telling, tellings
from workbench.ui.keymap import GO, Key, keymap
from workbench.ui.search import Provider, providers
from workbench.upkeep.backup.restore import RestoreCheck, restore_checks


def register() -> None:
    """Add everything. Called once, when the app starts."""
    keymap.add(Key("g v", "releases", GO, "go", "releases:list", order=34))
    providers.add(Provider("releases", panels.find_releases, order=44))
    restore_checks.add(RestoreCheck("releases", archives))
    contributions.tabs.append(panels.releases_tab)
    contributions.steps.append(panels.steps)
    kinds.add(
        Kind(
            "release", lambda pk: reverse("releases:by_id", args=[pk]), visible_releases
        )
    )
    tellings.add(
        Telling("release.frozen", "froze {object}: {instances:instance}, {runs:run}"),
        Telling(
            "release.frozen_again",
            "froze {object} again: {instances:instance}, {runs:run}",
        ),
        Telling("release.waived", "signed for {object}: {what}"),
        Telling("release.built", "built {object}"),
        Telling("release.published", "published {object}"),
        Telling("release.retracted", "retracted {object}"),
    )
