"""Hold on to claimed jobs: everything that proves, by a conditional update, that a job is still one's own.

Times that decide something are the database's, so that machines with different clocks agree.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.db import models, transaction
from django.db.models.functions import Now
from django.utils import timezone

from workbench.jobs.capabilities import read
from workbench.jobs.models import Job, JobEvent
from workbench.ringing import ring


def lease_length() -> timedelta:
    """Return how long a lease is good for without being extended."""
    return timedelta(seconds=settings.JOB_LEASE_SECONDS)


def waiting() -> models.QuerySet[Job]:
    """Return the jobs that may be begun now."""
    due = models.Q(not_before=None) | models.Q(not_before__lte=Now())
    return Job.objects.filter(due, state=Job.QUEUED)


def needs_met_by(offers: Collection[str]) -> list[str]:
    """Return each set of needs that a waiting job has and that `offers` meet; no needs ("") always among them."""
    asked = (
        Job.objects.filter(state=Job.QUEUED)
        .order_by()
        .values_list("needs", flat=True)
        .distinct()
    )
    return sorted({"", *(needs for needs in asked if read(needs) <= set(offers))})


def held(job: Job) -> models.QuerySet[Job]:
    """Return the row of `job` if it is still leased under its token."""
    return Job.objects.filter(pk=job.pk, state=Job.RUNNING, lease=job.lease)


def hold(job: Job, **changes: Any) -> bool:
    """Extend the lease of `job` and write `changes`; return whether it was still ours and nobody had cancelled it."""
    return bool(
        held(job)
        .filter(cancel_requested=False)
        .update(lease_until=Now() + lease_length(), **changes)
    )


def extend(leases: Mapping[int, str]) -> None:
    """Extend the leases (job → token) of a whole worker.

    A row that is locked is skipped: its job is being finished, and nobody else can take it meanwhile.
    """
    with transaction.atomic():
        mine = Job.objects.select_for_update(skip_locked=True).filter(
            pk__in=leases, lease__in=leases.values(), state=Job.RUNNING
        )
        keys = list(mine.values_list("pk", flat=True))
        Job.objects.filter(
            pk__in=keys, lease__in=leases.values(), state=Job.RUNNING
        ).update(lease_until=Now() + lease_length())


def wanted_back(leases: Mapping[int, str]) -> dict[int, str]:
    """Return which of the held jobs (job → token) must stop: job → "cancelled" or "lost". One query."""
    found = {
        pk: (lease, asked)
        for pk, lease, asked in Job.objects.filter(
            pk__in=leases, state=Job.RUNNING
        ).values_list("pk", "lease", "cancel_requested")
    }
    stopped: dict[int, str] = {}
    for pk, lease in leases.items():
        token, asked = found.get(pk, ("", False))
        if token != lease:
            stopped[pk] = "lost"
        elif asked:
            stopped[pk] = "cancelled"
    return stopped


def expired() -> models.QuerySet[Job]:
    """Return the running jobs whose worker has been silent for longer than a lease."""
    return Job.objects.filter(state=Job.RUNNING, lease_until__lt=Now())


def tell(job: Job, kind: str, text: str, *, tone: str = "") -> None:
    """Add to the log of `job` what happened; browsers that follow it are told when the transaction commits."""
    JobEvent.objects.create(
        job=job,
        at=timezone.now(),
        kind=kind,
        attempt=job.attempt,
        text=printable(text),
        tone=tone,
    )
    ring()


def printable(text: str) -> str:
    """Return `text` without what no database takes: NUL, and halves of characters that are no text."""
    return (
        text.encode("utf-8", "replace")
        .decode()
        .replace("\0", "\N{REPLACEMENT CHARACTER}")
    )
