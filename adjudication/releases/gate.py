"""What keeps a release from being published: open blockers of its revisions, unless somebody signed for them."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from django.urls import reverse

from adjudication.audits.models import Finding
from adjudication.audits.selectors.findings import mended_in
from adjudication.audits.states import MENDED
from adjudication.releases.models import Release, ReleaseMember, Waiver
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
    members = list(
        release.members.select_related(
            "revision__instance__team", "revision__source", "revision__snapshot"
        ).order_by("revision__instance__slug")
    )
    later = _mended_later(members)
    found = []
    for member in members:
        revision = member.revision
        for blocker in (*later[revision.pk], *blockers(revision)):
            key = key_of(blocker)
            found.append(Open(key, revision, blocker, waivers.get((revision.pk, key))))
    return sorted(found, key=lambda one: one.waiver is not None)


def standing(release: Release) -> list[Open]:
    """Return the blockers that nobody signed for."""
    return [one for one in gate(release) if one.waiver is None]


def number(found: Collection[Open]) -> int:
    """Return how many blockers these are, as the gate lists them: one that several revisions have is one."""
    return len({one.key for one in found})


def _mended_later(members: Sequence[ReleaseMember]) -> dict[int, list[Blocker]]:
    """Return by revision the findings that only a newer revision mends. One query.

    On the page of its instance a repaired finding is closed; what is released here would still carry the fault.
    """
    revisions = {m.revision.instance_id: m.revision for m in members}
    found: dict[int, list[Blocker]] = defaultdict(list)
    rows = (
        Finding.objects.filter(instance__in=list(revisions), state__in=MENDED)
        .annotate(mended=mended_in())
        .select_related("instance")
        .order_by("number")
    )
    for finding in rows:
        revision = revisions[finding.instance_id]
        if finding.mended is None or finding.mended <= revision.number:
            continue
        found[revision.pk].append(
            Blocker(
                "bad",
                "audit",
                f"F-{finding.number} is repaired in r{finding.mended} only: {finding.title}",
                "See the finding, and freeze what repairs it",
                reverse("audits:finding", args=[finding.instance.slug, finding.number]),
            )
        )
    return found
