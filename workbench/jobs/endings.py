"""How a running job ends, or goes back into the queue. Each is conditional on the lease, and a turning point.

Every function here must run inside a transaction, returns whether the job was still held (nothing is written
otherwise), and records the end last because the record is locked from then on.
"""

from __future__ import annotations

from typing import Any

from django.db.models import F

from workbench.access.models import User
from workbench.events.correlation import correlated
from workbench.events.log import record
from workbench.jobs import engines
from workbench.jobs.lease import held, printable, tell
from workbench.jobs.models import Job, JobEvent
from workbench.jobs.statements import End, end

# What a page shows of why a job failed, and of the trace of a fault of ours.
ERROR_CHARACTERS, TRACE_CHARACTERS = 4_000, 40_000


def finish(
    job: Job, *, result: str, summary: str, link: str, unless_cancelled: bool = False
) -> bool:
    """End `job` as done with `result` (JSON text) and a sentence about it."""
    how = End(Job.DONE, summary or "done", result=result, summary=summary, link=link)
    return _close(
        job,
        how,
        "job.finished",
        though_cancelled=not unless_cancelled,
        summary=printable(summary)[:300],
    )


def fail(job: Job, error: str, *, trace: str = "", state: str = Job.FAILED) -> bool:
    """End `job` without a result, for the reason `error`, as failed or declined. Texts without end are cut."""
    error, trace = error[:ERROR_CHARACTERS], trace[-TRACE_CHARACTERS:]
    verb = "job.failed" if state == Job.FAILED else "job.declined"
    return _close(
        job,
        End(state, error, error=error),
        verb,
        trace=trace,
        error=printable(error)[:500],
    )


def cancelled(job: Job) -> bool:
    """End `job` because somebody asked for it; the record names that person."""
    row = held(job).filter(cancel_requested=True).select_related("cancelled_by").first()
    if row is None:
        return False
    by = row.cancelled_by
    line = f"cancelled by {by.username if by else 'the system'}"
    return _close(job, End(Job.CANCELLED, line), "job.cancelled", by)


def hand_back(job: Job, reason: str, *, counted: bool = True) -> bool:
    """Put `job` back into the queue because its worker is gone; give up when its attempts are used up.

    With `counted=False` (the worker was told to stop) the attempt does not count. A cancelled job stays cancelled.
    """
    if cancelled(job):
        return True
    row = held(job).first()
    if row is None:
        return False
    if counted and row.attempt >= row.max_attempts:
        attempts = "1 attempt" if row.attempt == 1 else f"{row.attempt} attempts"
        return fail(job, f"Given up after {attempts}: {reason}.")
    allowed = F("max_attempts") if counted else F("max_attempts") + 1
    if not held(job).update(
        state=Job.QUEUED,
        max_attempts=allowed,
        not_before=None,
        lease="",
        lease_until=None,
    ):
        return False
    tell(
        job,
        JobEvent.STATE,
        f"attempt {row.attempt} ended: {reason}; back in the queue",
        tone="warn",
    )
    engines.announce(job)
    return True


def _close(
    job: Job,
    how: End,
    verb: str,
    actor: User | None = None,
    *,
    trace: str = "",
    though_cancelled: bool = True,
    **data: Any,
) -> bool:
    if not end(job, how, though_cancelled=though_cancelled):
        return False
    if trace:
        tell(job, JobEvent.TRACE, trace)
    if job.attempt > 1 or job.done or job.total or job.doing:
        JobEvent.objects.filter(job=job, kind=JobEvent.PROGRESS).delete()
    with correlated(job.correlation):
        record(verb, actor, job, implicit=actor is None, attempt=job.attempt, **data)
    return True
