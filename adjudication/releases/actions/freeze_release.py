"""Freeze a release: the revisions and runs of a set as they are at this moment."""

from __future__ import annotations

import re

from django.db import IntegrityError, transaction
from django.utils import timezone

from adjudication.releases.changes import changelog
from adjudication.releases.models import Release, ReleaseMember
from adjudication.standings.models import InstanceSet
from workbench.access.models import User
from workbench.access.rights import require
from workbench.access.roles import MAINTAIN
from workbench.events.log import record

VERSION = re.compile(r"[0-9A-Za-z][0-9A-Za-z.+-]{0,39}")


class BadRelease(Exception):
    """The release cannot be made or changed so. The text says why, and what was expected."""


@transaction.atomic
def freeze_release(
    user: User | None, found: InstanceSet, version: str, *, note: str = ""
) -> Release:
    """Return a draft that holds the current revision and the chosen runs of every instance of a set.

    What happens to the set afterwards does not change it. Raises `AccessDenied`, `BadRelease`.
    """
    if user is not None:
        require(user, MAINTAIN, found)
    if not VERSION.fullmatch(version):
        raise BadRelease(
            f"{version[:60]!r} is no version; expected letters, digits and .+- such as 1.0."
        )
    locked = InstanceSet.objects.select_for_update().get(pk=found.pk)
    members = list(
        locked.members.exclude(instance=None)
        .filter(instance__hidden=False)
        .select_related("instance")
    )
    if not members:
        raise BadRelease(
            f"{locked} holds no instance of ours: there is nothing to release."
        )
    previous = locked.releases.filter(state=Release.PUBLISHED).first()
    try:
        with transaction.atomic():
            release = Release.objects.create(
                set=locked,
                version=version,
                previous=previous,
                note=note.replace("\0", "").strip(),
                by=user,
                # Whole seconds: an archive keeps no smaller ones.
                frozen_at=timezone.now().replace(microsecond=0),
            )
    except IntegrityError:
        raise BadRelease(f"{locked.slug} has a release {version} already.") from None
    ReleaseMember.objects.bulk_create(
        ReleaseMember(
            release=release, revision=member.instance.revisions.get(is_current=True)
        )
        for member in members
        if member.instance is not None
    )
    frozen = {member.revision_id for member in release.members.all()}
    cells = locked.cells.exclude(run=None).filter(run__revision__in=frozen)
    release.runs.set(cells.values_list("run", flat=True))
    release.changelog = changelog(release)
    release.save(update_fields=["changelog"])
    record(
        "release.frozen",
        user,
        release,
        instances=len(frozen),
        runs=release.runs.count(),
    )
    return release
