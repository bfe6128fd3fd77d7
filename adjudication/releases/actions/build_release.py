"""Keep what was built of a release: its archive in its place, its digest in the row."""

from __future__ import annotations

from django.db import transaction

from adjudication.releases.actions.freeze_release import locked_release
from adjudication.releases.building import Built, keep
from adjudication.releases.models import Release
from workbench.access.models import User
from workbench.events.log import record


@transaction.atomic
def keep_built(user: User | None, release: Release, built: Built) -> Release:
    """Return the release, built: the same bytes as before, or it raises `NotKept`. Who builds was asked before."""
    kept = keep(locked_release(release), built)
    record(
        "release.built",
        user,
        kept,
        archive=built.digest,
        size=built.size,
        builds=kept.builds,
    )
    return kept
