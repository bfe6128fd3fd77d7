"""Sign waivers, publish a built release, retract a published one."""

from __future__ import annotations

from django.db import transaction
from django.utils import timezone

from adjudication.audits.models import Finding
from adjudication.audits.states import move
from adjudication.releases.actions.freeze_release import BadRelease
from adjudication.releases.changes import repaired
from adjudication.releases.gate import gate, standing
from adjudication.releases.models import Release, Waiver
from curation.instances.models import Revision
from workbench.access.models import User
from workbench.access.rights import require
from workbench.access.roles import MAINTAIN
from workbench.events.log import record


@transaction.atomic
def waive(
    user: User, release: Release, revision: Revision, key: str, reason: str
) -> Waiver:
    """Return the waiver that lets one open blocker pass for this release. Raises `AccessDenied`, `BadRelease`."""
    require(user, MAINTAIN, release)
    locked = _locked(release)
    if locked.state != Release.DRAFT:
        raise BadRelease(
            f"{locked} is {locked.state}: what is in it can no longer be waived."
        )
    reason = reason.replace("\0", "").strip()
    if not reason:
        raise BadRelease("Say why this may pass: the reason is printed in the release.")
    known = locked.waivers.filter(revision=revision, blocker=key).first()
    if known is not None:
        return known
    found = [
        one for one in gate(locked) if one.key == key and one.revision.pk == revision.pk
    ]
    if not found:
        raise BadRelease("This blocker is no longer open, or says something else now.")
    waiver = Waiver.objects.create(
        release=locked,
        revision=revision,
        blocker=key,
        what=found[0].blocker.what,
        reason=reason[:5000],
        by=user,
    )
    record(
        "release.waived",
        user,
        locked,
        reason=reason,
        what=waiver.what,
        revision=str(revision),
    )
    return waiver


@transaction.atomic
def publish_release(user: User, release: Release) -> Release:
    """Return the release, published; findings that it repairs become released. Raises `AccessDenied`, `BadRelease`."""
    require(user, MAINTAIN, release)
    locked = _locked(release)
    if locked.state == Release.PUBLISHED:
        return locked
    if locked.state != Release.BUILT:
        raise BadRelease(f"{locked} is {locked.state}; build it first.")
    blocking = standing(locked)
    if blocking:
        first = blocking[0]
        raise BadRelease(
            f"{len(blocking)} blockers are open, the first: {first.revision}: {first.blocker.what}. Settle or waive them."
        )
    for finding in repaired(locked):
        held = Finding.objects.select_for_update().get(pk=finding.pk)
        if held.state == Finding.VERIFIED:
            move(held, Finding.RELEASED, user, reason=f"released in {locked}")
    locked.state = Release.PUBLISHED
    locked.published_at = timezone.now()
    locked.save(update_fields=["state", "published_at"])
    record("release.published", user, locked, archive=locked.archive_digest)
    return locked


@transaction.atomic
def retract_release(user: User, release: Release, reason: str) -> Release:
    """Return the release, retracted: it stays downloadable and says why not to use it. Raises `AccessDenied`, `BadRelease`."""
    require(user, MAINTAIN, release)
    locked = _locked(release)
    reason = reason.replace("\0", "").strip()
    if not reason:
        raise BadRelease("Say why it is retracted: the reason stays on its page.")
    if locked.state != Release.PUBLISHED:
        raise BadRelease(
            f"{locked} is {locked.state}; only a published release can be retracted."
        )
    locked.state = Release.RETRACTED
    locked.save(update_fields=["state"])
    record("release.retracted", user, locked, reason=reason)
    return locked


def _locked(release: Release) -> Release:
    return (
        Release.objects.select_for_update(of=("self",))
        .select_related("set__team", "previous")
        .get(pk=release.pk)
    )
