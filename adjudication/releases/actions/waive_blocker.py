"""Sign for an open blocker: this release may go out in spite of it, and says so."""

from __future__ import annotations

from collections.abc import Collection

from django.db import transaction

from adjudication.releases.actions.freeze_release import (
    BadRelease,
    locked_release,
    make_draft,
)
from adjudication.releases.gate import standing
from adjudication.releases.models import Release, Waiver
from workbench.access.models import User
from workbench.access.rights import require
from workbench.access.roles import MAINTAIN
from workbench.events.log import record


@transaction.atomic
def waive(
    user: User, release: Release, key: str, revisions: Collection[int], reason: str
) -> list[Waiver]:
    """Return the waivers that let one open blocker (its `key`) pass for `revisions` (their ids) in this release.

    What was built without them is a draft again: the archive names every waiver. Raises `AccessDenied`, `BadRelease`.
    """
    require(user, MAINTAIN, release.set)
    locked = locked_release(release)
    if not locked.open:
        raise BadRelease(
            f"{locked} is {locked.state}: what is in it can no longer be waived."
        )
    reason = reason.replace("\0", "").strip()[:5000]
    if not reason:
        raise BadRelease("Say why this may pass: the reason is printed in the release.")
    if not revisions:
        raise BadRelease("Tick the instances for which it may pass.")
    wanted = set(revisions)
    found = [
        one for one in standing(locked) if one.key == key and one.revision.pk in wanted
    ]
    if len(found) < len(wanted):
        raise BadRelease("This blocker is no longer open, or says something else now.")
    waivers = Waiver.objects.bulk_create(
        Waiver(
            release=locked,
            revision=one.revision,
            blocker=key,
            what=one.blocker.words,
            reason=reason,
            by=user,
        )
        for one in found
    )
    if locked.state == Release.BUILT:
        make_draft(locked)
    record(
        "release.waived",
        user,
        locked,
        reason=reason,
        what=found[0].blocker.words,
        revisions=[str(one.revision) for one in found],
    )
    return waivers
