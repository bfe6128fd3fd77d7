"""What people and programs do with jobs: submit, cancel, retry."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Mapping
from typing import Any

from django.db import IntegrityError, models, transaction
from django.utils import timezone

from workbench.access.models import Team, User
from workbench.access.rights import AccessDenied, allowed
from workbench.access.roles import MAINTAIN
from workbench.events.correlation import correlated, current_correlation
from workbench.events.log import record
from workbench.jobs import engines
from workbench.jobs.capabilities import written
from workbench.jobs.declared import QUEUES, UnknownJob, declaration
from workbench.jobs.lease import tell
from workbench.jobs.models import Job, JobEvent
from workbench.upkeep.disk import demand_room

_LOCK_TRIES, _LOCK_PAUSE_S = 8, 0.05


class KeyTaken(Exception):
    """The idempotency key belongs to a job of another kind."""


class WrongState(Exception):
    """The job is not in a state in which that can be done. The text says in which it is. Carries the job."""

    def __init__(self, message: str, job: Job) -> None:
        super().__init__(message)
        self.job = job


def submit(
    name: str,
    *,
    owner: User | None,
    team: Team | None = None,
    about: models.Model | None = None,
    args: Mapping[str, Any] | None = None,
    key: str | None = None,
    needs: Iterable[str] = (),
    priority: int | None = None,
) -> Job:
    """Put the declared job `name` into the queue and return it.

    With a `key` that a job of this kind already carries, that job is returned and nothing is added: a double click
    makes one job. `about` is what the job works on; its page lists the job. `needs` come on top of the declared
    ones; a higher `priority` is claimed earlier. Raises `UnknownJob`, `WrongArguments`, `KeyTaken`, and `ValueError`
    for arguments that are not JSON; `NoRoom` if the disk is nearly full. The caller has checked that `owner` may do this.
    """
    kind = declaration(name)
    given = dict(args or {})
    kind.check(given)
    try:
        text = json.dumps(given, allow_nan=False)
    except TypeError as error:
        raise ValueError(f"Job {name}: arguments must be JSON; {error}") from None
    with transaction.atomic(), correlated():
        found = _under_key(name, key)
        if found is not None:
            return found
        demand_room()
        job = Job(
            name=name,
            key=key,
            args=text,
            queue=kind.queue,
            needs=written({*kind.needs, *needs}),
            priority=QUEUES[kind.queue] if priority is None else priority,
            max_attempts=kind.attempts,
            limit_s=kind.limit_s,
            owner=owner,
            team=team,
            correlation=current_correlation(),
            created_at=timezone.now(),
            **_described(about),
        )
        try:
            with transaction.atomic():
                job.save(force_insert=True)
        except IntegrityError:  # somebody else was faster with the same key
            found = _under_key(name, key)
            if found is None:
                raise
            return found
        by = owner.username if owner else "the system"
        tell(job, JobEvent.STATE, f"submitted by {by}", tone="off")
        engines.announce(job)
        record("job.submitted", owner, job, job=name)
    return job


def _under_key(name: str, key: str | None) -> Job | None:
    found = Job.objects.filter(key=key).first() if key is not None else None
    if found is not None and found.name != name:
        raise KeyTaken(
            f"The key {key!r} belongs to a job of another kind, {found.name!r}."
        )
    return found


def _described(about: models.Model | None) -> dict[str, Any]:
    if about is None:
        return {}
    kind = about._meta.model_name or ""
    address = getattr(about, "get_absolute_url", None)
    return {
        "about_kind": kind,
        "about_id": str(about.pk),
        "about_name": str(getattr(about, "event_name", about))[:300],
        "about_url": address() if address else "",
        "instance_id": about.pk
        if kind == "instance"
        else getattr(about, "instance_id", None),
    }


def may_stop(user: User, job: Job) -> bool:
    """Return whether `user` may cancel and retry `job`: the owner may, and whoever maintains the team."""
    return user.is_active and (
        job.owner_id == user.pk or allowed(user, MAINTAIN, job.scope)
    )


def _require_stop(user: User, job: Job) -> None:
    if not may_stop(user, job):
        raise AccessDenied(
            "Only the owner of a job and maintainers of its team may cancel or retry it."
        )


@transaction.atomic
def cancel(user: User, job: Job) -> Job:
    """Cancel `job` and return it: at once while it waits; a running one is stopped by its worker, with all it started.

    Raises `AccessDenied`, and `WrongState` if it has ended or is writing its result at this moment.
    """
    _require_stop(user, job)
    job = _locked(job)
    if not job.is_open:
        raise WrongState(f"The job has already ended: {job.state}.", job)
    if job.cancel_requested:
        return job
    job.cancelled_by = user
    if job.state == Job.RUNNING:
        job.cancel_requested = True
        job.save(update_fields=["cancel_requested", "cancelled_by"])
        tell(job, JobEvent.STATE, f"{user.username} asked to cancel it", tone="warn")
        engines.stop(job)
        return job
    job.state, job.finished_at = Job.CANCELLED, timezone.now()
    job.save(update_fields=["state", "finished_at", "cancelled_by"])
    tell(job, JobEvent.END, f"cancelled by {user.username}", tone="na")
    record("job.cancelled", user, job)
    return job


@transaction.atomic
def retry(user: User, job: Job) -> Job:
    """Put `job`, which ended without a result, back into the queue and return it. Raises `AccessDenied`, `WrongState`."""
    _require_stop(user, job)
    job = _locked(job)
    if not job.is_retryable:
        raise WrongState(
            f"Only a job that ended without a result can be retried; this one is {job.state}.",
            job,
        )
    try:
        kind = declaration(job.name)
    except UnknownJob:
        raise WrongState(
            "This version of the workbench no longer has this kind of job.", job
        ) from None
    job.state, job.finished_at, job.error = Job.QUEUED, None, ""
    job.cancel_requested, job.cancelled_by, job.not_before = False, None, None
    job.max_attempts, job.limit_s = job.attempt + kind.attempts, kind.limit_s
    job.done = job.total = 0
    job.doing = ""
    job.save()
    tell(job, JobEvent.STATE, f"put back into the queue by {user.username}", tone="off")
    engines.announce(job)
    record("job.retried", user, job)
    return job


def _locked(job: Job) -> Job:
    """Return the row, locked. A job holds its own row only while it publishes its result: do not wait for that."""
    for _ in range(_LOCK_TRIES):
        row = Job.objects.select_for_update(skip_locked=True).filter(pk=job.pk).first()
        if row is not None:
            return row
        time.sleep(_LOCK_PAUSE_S)
    raise WrongState(
        "The job is writing its result at this moment. Look again shortly.", job
    )
