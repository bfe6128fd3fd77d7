"""Publish a built release, retract a published one."""

from __future__ import annotations

from django.db import transaction
from django.utils import timezone

from adjudication.audits.models import Finding
from adjudication.audits.states import move
from adjudication.releases.actions.freeze_release import BadRelease, locked_release
from adjudication.releases.building import archive_fault
from adjudication.releases.canaries import obstacles
from adjudication.releases.changes import repaired
from adjudication.releases.gate import number, standing
from adjudication.releases.models import Release
from curation.instances.locks import hold_instances
from workbench.access.models import User
from workbench.access.rights import require
from workbench.access.roles import MAINTAIN
from workbench.events.log import record
from workbench.ui.templatetags.ui import plural


@transaction.atomic
def publish_release(user: User, release: Release) -> Release:
    """Return the release, published; findings that it repairs become released. Raises `AccessDenied`, `BadRelease`.

    Refused while a blocker is open that nobody signed for, while a grader behind it has no green canaries, and where
    its archive is not in the data folder as it was built.
    """
    require(user, MAINTAIN, release.set)
    locked = locked_release(release)
    if locked.state == Release.PUBLISHED:
        return locked
    if locked.state != Release.BUILT:
        raise BadRelease(f"{locked} is {locked.state}; build it first.")
    for why in (*_blocking(locked), *obstacles(locked), *archive_fault(locked)):
        raise BadRelease(why)
    found = repaired(locked)
    hold_instances(finding.instance_id for finding in found)
    for finding in found:
        held = Finding.objects.select_for_update(no_key=True).get(pk=finding.pk)
        if held.state == Finding.VERIFIED:
            move(held, Finding.RELEASED, user, reason=f"released in {locked}")
    locked.state = Release.PUBLISHED
    locked.published_at, locked.published_by = timezone.now(), user
    locked.save(update_fields=["state", "published_at", "published_by"])
    record("release.published", user, locked, archive=locked.archive_digest)
    return locked


def _blocking(release: Release) -> list[str]:
    found = standing(release)
    if not found:
        return []
    first = found[0]
    many = f"{plural(number(found), 'blocker')} {'is' if number(found) == 1 else 'are'} open, the first: "
    return [f"{many}{first.revision}: {first.blocker.what}. Settle or waive them."]


@transaction.atomic
def retract_release(user: User, release: Release, reason: str) -> Release:
    """Return the release, retracted: it stays downloadable and says why not to use it. Raises `AccessDenied`, `BadRelease`."""
    require(user, MAINTAIN, release.set)
    locked = locked_release(release)
    reason = reason.replace("\0", "").strip()[:5000]
    if not reason:
        raise BadRelease("Say why it is retracted: the reason stays on its page.")
    if locked.state != Release.PUBLISHED:
        raise BadRelease(
            f"{locked} is {locked.state}; only a published release can be retracted."
        )
    locked.state, locked.retraction = Release.RETRACTED, reason
    locked.retracted_at, locked.retracted_by = timezone.now(), user
    locked.save(update_fields=["state", "retraction", "retracted_at", "retracted_by"])
    record("release.retracted", user, locked, reason=reason)
    return locked
