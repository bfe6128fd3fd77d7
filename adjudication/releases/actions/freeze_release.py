"""Freeze a release: the revisions and runs of a set as they are at this moment."""

from __future__ import annotations

import re

from django.db import IntegrityError, transaction
from django.utils import timezone

from adjudication.releases.changes import changelog
from adjudication.releases.models import Release, ReleaseMember
from adjudication.standings.models import InstanceSet
from curation.instances.models import Revision
from workbench.access.models import User
from workbench.access.rights import require
from workbench.access.roles import MAINTAIN
from workbench.events.log import record

VERSION = re.compile(r"[0-9A-Za-z][0-9A-Za-z.+-]{0,39}")
_MOST_WORDS = 5000


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
    locked = InstanceSet.objects.select_for_update(no_key=True).get(pk=found.pk)
    try:
        with transaction.atomic():
            release = Release.objects.create(
                set=locked,
                version=version,
                note=note.replace("\0", "").strip()[:_MOST_WORDS],
                by=user,
                frozen_at=timezone.now(),
            )
    except IntegrityError:
        raise BadRelease(f"{locked.slug} has a release {version} already.") from None
    _take(release, locked)
    record(
        "release.frozen",
        user,
        release,
        instances=release.members.count(),
        runs=release.runs.count(),
    )
    return release


@transaction.atomic
def freeze_again(user: User, release: Release) -> Release:
    """Return the release, a draft once more, with what its set holds now: for blockers that a newer revision settled.

    Waivers hold on for the revisions that stay. Raises `AccessDenied`, and `BadRelease` once it is published.
    """
    require(user, MAINTAIN, release.set)
    found = InstanceSet.objects.select_for_update(no_key=True).get(pk=release.set_id)
    locked = locked_release(release)
    if not locked.open:
        raise BadRelease(
            f"{locked} is {locked.state}: what it holds stays as it is. Freeze another version."
        )
    locked.members.all().delete()
    make_draft(locked)
    locked.by = user
    _take(locked, found)
    record(
        "release.frozen_again",
        user,
        locked,
        instances=locked.members.count(),
        runs=locked.runs.count(),
    )
    return locked


def locked_release(release: Release) -> Release:
    """Return the row as it is now, locked until the transaction ends."""
    return (
        Release.objects.select_for_update(of=("self",), no_key=True)
        .select_related("set__team", "previous")
        .get(pk=release.pk)
    )


def make_draft(release: Release) -> None:
    """Take back what was built of `release`, locked by the caller: its archive is no longer what it holds."""
    release.state = Release.DRAFT
    release.archive = release.archive_digest = release.manifest = ""
    release.archive_size = release.built_at = None
    release.builds = 0
    release.save()


def _take(release: Release, locked: InstanceSet) -> None:
    """Write what the set holds now into `release`. Each part is one query: one moment each."""
    revisions = list(
        Revision.objects.filter(
            is_current=True,
            instance__hidden=False,
            instance__memberships__set=locked,
        ).select_related("source", "instance")
    )
    if not revisions:
        raise BadRelease(
            f"{locked} holds no instance of ours: there is nothing to release."
        )
    release.title, release.needs_sandbox = locked.name, locked.needs_sandbox
    release.previous = (
        locked.releases.filter(state=Release.PUBLISHED).exclude(pk=release.pk).first()
    )
    # Whole seconds: an archive keeps no smaller ones.
    release.frozen_at = timezone.now().replace(microsecond=0)
    ReleaseMember.objects.bulk_create(
        ReleaseMember(
            release=release,
            revision=revision,
            licence=revision.source.licence if revision.source else "",
            source_files_id=revision.source.snapshot_id if revision.source else None,
        )
        for revision in revisions
    )
    cells = locked.cells.exclude(run=None).filter(run__revision__in=revisions)
    release.runs.set(cells.values_list("run", flat=True))
    release.changelog = changelog(release)
    release.save()
