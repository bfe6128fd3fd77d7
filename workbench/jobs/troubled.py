"""What an operator looks at: what runs, what is stuck and why, what ended badly. For the operations page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from django.db import models
from django.db.models.functions import Now
from django.utils import timezone

from workbench.access.models import User
from workbench.access.rights import teams_with
from workbench.access.roles import MAINTAIN
from workbench.jobs.models import Job, JobEvent, WorkerRow
from workbench.jobs.selectors import visible_jobs, why_waiting

ROWS: Final = 10
BADLY_WITHIN: Final = timedelta(days=7)


@dataclass(frozen=True)
class Row:
    """A job in one of the lists: what is the matter with it, since when, and whether this person may act on it."""

    job: Job
    words: str
    since: datetime | None
    may_stop: bool


class Troubled:
    """The lists for one person. Five queries, and two for each waiting job that nobody serves."""

    def __init__(self, user: User, workers: Sequence[WorkerRow]) -> None:
        self._user, self._workers = user, workers
        self._jobs = visible_jobs(user).select_related("owner")
        self._teams = set(teams_with(user, MAINTAIN).values_list("pk", flat=True))

    def running(self) -> list[Row]:
        """Return what runs, longest first; `since` is when it last said something."""
        said = (
            JobEvent.objects.filter(job=models.OuterRef("pk"))
            .order_by("-pk")
            .values("at")[:1]
        )
        jobs = (
            self._jobs.filter(state=Job.RUNNING, lease_until__gte=Now())
            .annotate(last_said=models.Subquery(said))
            .order_by("started_at")[:ROWS]
        )
        return [self._row(job, job.doing, job.last_said) for job in jobs]

    def stuck(self) -> list[Row]:
        """Return what runs under a worker that fell silent, and what waits though no worker serves it."""
        silent = self._jobs.filter(state=Job.RUNNING, lease_until__lt=Now())
        rows = [
            self._row(job, self._silent(job), job.lease_until)
            for job in silent.order_by("lease_until")[:ROWS]
        ]
        for job in self._jobs.filter(state=Job.QUEUED).order_by("pk")[:ROWS]:
            if not any(worker.serves(job) for worker in self._workers):
                words = why_waiting(job, self._workers)
                rows.append(self._row(job, words, job.created_at))
        return rows

    def ended_badly(self) -> list[Row]:
        """Return what failed, or stopped at a limit, within a week, newest first."""
        jobs = self._jobs.filter(
            state__in=(Job.FAILED, Job.DECLINED),
            finished_at__gte=timezone.now() - BADLY_WITHIN,
        )
        return [
            self._row(job, job.error, job.finished_at)
            for job in jobs.order_by("-pk")[:ROWS]
        ]

    def _silent(self, job: Job) -> str:
        again = (
            "is given up"
            if job.attempt >= job.max_attempts
            else "goes back into the queue"
        )
        return f"Its worker {job.worker} fell silent. It {again} as soon as a worker is up."

    def _row(self, job: Job, words: str, since: datetime | None) -> Row:
        mine = self._user.is_superuser or job.owner_id == self._user.pk
        return Row(job, words, since, mine or job.team_id in self._teams)
