"""What keeps a release from being published: open blockers of its revisions, unless somebody signed for them."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from adjudication.releases.models import Release, Waiver
from curation.instances.contributions import Blocker
from curation.instances.models import Revision
from curation.instances.selectors.overview import blockers


@dataclass(frozen=True)
class Open:
    """A blocker of one revision of a release; `waiver` is who signed for it, and why."""

    key: str
    revision: Revision
    blocker: Blocker
    waiver: Waiver | None


def key_of(blocker: Blocker) -> str:
    """Return the key under which a blocker is waived: it changes with what it says, so a worse one is not covered."""
    return hashlib.sha256(f"{blocker.kind}\n{blocker.what}".encode()).hexdigest()


def gate(release: Release) -> list[Open]:
    """Return every blocker of the release's revisions, those without a waiver first."""
    waivers = {
        (w.revision_id, w.blocker): w for w in release.waivers.select_related("by")
    }
    found = []
    members = release.members.select_related(
        "revision__instance__team", "revision__source", "revision__snapshot"
    )
    for member in members.order_by("revision__instance__slug"):
        revision = member.revision
        for blocker in blockers(revision):
            key = key_of(blocker)
            found.append(Open(key, revision, blocker, waivers.get((revision.pk, key))))
    return sorted(found, key=lambda one: one.waiver is not None)


def standing(release: Release) -> list[Open]:
    """Return the blockers that nobody signed for."""
    return [one for one in gate(release) if one.waiver is None]
