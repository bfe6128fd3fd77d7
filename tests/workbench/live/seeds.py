"""A job that a test runs by hand, for pages that watch it. Called on the site's database by RunningSite.seed."""

from __future__ import annotations

import uuid
from datetime import timedelta
from typing import Any

from django.db import transaction
from django.utils import timezone

from workbench.access.models import User
from workbench.jobs.lease import tell
from workbench.jobs.models import Job, JobEvent
from workbench.jobs.run import JobRun


def begin(owner: str, attempts: int = 1) -> int:
    """Return the id of a running job of `owner`, held by a worker that does not exist."""
    user = User.objects.get(username=owner)
    team = user.memberships.select_related("team").first()
    now = timezone.now()
    job = Job.objects.create(
        name="by-hand", state=Job.RUNNING, queue="interactive", attempt=1, max_attempts=attempts, limit_s=900,
        lease=uuid.uuid4().hex, lease_until=now + timedelta(hours=1), worker="by hand", owner=user,
        team=team.team if team else None, correlation=uuid.uuid4(), created_at=now, started_at=now,
    )  # fmt: skip
    tell(job, JobEvent.STATE, "begun by hand")
    return job.pk


def step(
    job: int, done: int = 0, total: int = 0, doing: str = "", lines: Any = ()
) -> None:
    """Say how far it is, and log `lines`."""
    run = JobRun(Job.objects.get(pk=job))
    run.progress(done, total, doing)
    for line in lines:
        run.log(line)


def finish(job: int, summary: str) -> None:
    """End it as done."""
    with JobRun(Job.objects.get(pk=job)).finishing() as end:
        end(summary=summary)


def asked_to_stop(job: int) -> bool:
    """Return whether somebody has asked to cancel it."""
    return Job.objects.get(pk=job).cancel_requested


def remove(job: int) -> None:
    """Take it away again, so that it does not show on pages of other tests."""
    with transaction.atomic():
        Job.objects.filter(pk=job).delete()
