"""The two statements that every job pays for, to claim it and to end it: the only raw SQL on jobs.

With the ORM each is several statements. On PostgreSQL each is one round trip here, which changes the row and tells so
in the log of the job. SQLite cannot do both at once, but there a statement costs no round trip. Times that decide
something are the database's, so that machines with different clocks agree.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass

from django.conf import settings
from django.db import connection, transaction
from django.utils import timezone

from workbench.jobs.lease import held, printable, tell
from workbench.jobs.models import Job, JobEvent
from workbench.ringing import ring

_TAKE = """
UPDATE jobs_job
SET state = 'running', lease = %s, lease_until = {until}, attempt = attempt + 1, worker = %s, started_at = %s,
    done = 0, total = 0, doing = ''
WHERE id = (
    SELECT id FROM jobs_job
    WHERE state = 'queued' AND queue IN ({queues}) AND name IN ({names}) AND needs IN ({needs})
        AND (not_before IS NULL OR not_before <= {now})
    ORDER BY priority DESC, id LIMIT 1 {lock})
RETURNING *
"""
_ON_POSTGRESQL = {
    "now": "STATEMENT_TIMESTAMP()",
    "until": "STATEMENT_TIMESTAMP() + %s * INTERVAL '1 second'",
    "lock": "FOR UPDATE SKIP LOCKED",
}
_ON_SQLITE = {
    "now": "STRFTIME('%%Y-%%m-%%d %%H:%%M:%%f', 'NOW')",
    "until": "STRFTIME('%%Y-%%m-%%d %%H:%%M:%%f', 'NOW', %s || ' seconds')",
    "lock": "",
}
_TAKE_AND_TELL = """
WITH taken AS ({take}), told AS (
    INSERT INTO jobs_jobevent (job_id, at, kind, attempt, text, tone)
    SELECT id, started_at, 'state', attempt, 'attempt ' || attempt || ' began on ' || worker, 'run' FROM taken)
SELECT * FROM taken
"""


def claim(
    worker: str, *, queues: Sequence[str], names: Sequence[str], needs: Sequence[str]
) -> Job | None:
    """Return the most urgent waiting job, now leased to `worker` with a fresh token and attempt; None if there is none.

    Only jobs of `queues` named in `names` whose needs are literally one of `needs` (see `needs_met_by`) are taken.
    """
    if not (queues and names and needs):
        return None
    on_postgresql = connection.vendor == "postgresql"
    take = _TAKE.format(
        queues=_marks(queues),
        names=_marks(names),
        needs=_marks(needs),
        **(_ON_POSTGRESQL if on_postgresql else _ON_SQLITE),
    )
    lease = secrets.token_hex(16)
    parameters = [lease, settings.JOB_LEASE_SECONDS, worker, timezone.now()]
    parameters += [*queues, *names, *needs]
    if on_postgresql:
        job = _first(_TAKE_AND_TELL.format(take=take), parameters)
        if job is not None:
            ring()
        return job
    with transaction.atomic():
        job = _first(take, parameters)
        if job is not None:
            text = f"attempt {job.attempt} began on {worker}"
            tell(job, JobEvent.STATE, text, tone="run")
    return job


_END_AND_TELL = """
WITH ended AS (
    UPDATE jobs_job
    SET state = %s, result = %s, summary = %s, link = %s, error = %s, finished_at = %s, lease = '', lease_until = NULL
    WHERE id = %s AND lease = %s AND state = 'running' AND cancel_requested IN (false, %s)
    RETURNING id)
INSERT INTO jobs_jobevent (job_id, at, kind, attempt, text, tone) SELECT id, %s, 'end', %s, %s, %s FROM ended
"""


@dataclass(frozen=True)
class End:
    """How a job ended: its state, a line for its log, and what it leaves. All text is made fit for a database."""

    state: str
    line: str
    result: str = ""
    summary: str = ""
    link: str = ""
    error: str = ""


def end(job: Job, how: End, *, though_cancelled: bool) -> bool:
    """End `job` if it is still held, in the transaction around; return whether it was.

    Without `though_cancelled`, a job that somebody has asked to cancel is not ended.
    """
    now, tone = timezone.now(), Job.TONES[how.state]
    summary, error = printable(how.summary)[:300], printable(how.error)
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute(
                _END_AND_TELL,
                [
                    how.state, how.result, summary, how.link, error, now, job.pk, job.lease, though_cancelled,
                    now, job.attempt, printable(how.line), tone,
                ],
            )  # fmt: skip
            return bool(cursor.rowcount)
    ended = held(job).filter(cancel_requested__in=(False, though_cancelled)).update(
        state=how.state, result=how.result, summary=summary, link=how.link, error=error, finished_at=now,
        lease="", lease_until=None,
    )  # fmt: skip
    if ended:
        tell(job, JobEvent.END, how.line, tone=tone)
    return bool(ended)


def _first(statement: str, parameters: Sequence[object]) -> Job | None:
    return next(iter(Job.objects.raw(statement, parameters)), None)


def _marks(values: Sequence[str]) -> str:
    return ", ".join(["%s"] * len(values))
