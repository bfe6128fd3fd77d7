"""Ask a worker to build a release, or to build it again and compare the bytes."""

from __future__ import annotations

from django.db import transaction

from adjudication.releases.actions.freeze_release import BadRelease, locked_release
from adjudication.releases.gate import number, standing
from adjudication.releases.models import Release
from workbench.access.models import User
from workbench.access.rights import require
from workbench.access.roles import MAINTAIN
from workbench.jobs import submit
from workbench.jobs.models import Job
from workbench.ui.templatetags.ui import plural


@transaction.atomic
def request_build(user: User, release: Release) -> Job:
    """Return the job that builds `release`; while one waits or runs, that one. Raises `AccessDenied`, `BadRelease`."""
    require(user, MAINTAIN, release.set)
    locked = locked_release(release)
    if locked.job is not None and locked.job.is_open:
        return locked.job
    blocking = standing(locked) if locked.state == Release.DRAFT else []
    if blocking:
        raise BadRelease(
            f"{plural(number(blocking), 'blocker')} open: settle or sign for them first."
        )
    locked.job = submit(
        "build-release",
        owner=user,
        team=locked.set.team,
        about=locked,
        args={"release_id": locked.pk},
    )
    locked.save(update_fields=["job"])
    return locked.job
