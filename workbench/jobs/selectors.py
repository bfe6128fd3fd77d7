"""What pages ask about jobs. Each function says how many queries it costs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.db import models
from django.db.models.functions import Now
from django.http import QueryDict
from django.utils import timezone

from workbench.access.models import User
from workbench.access.rights import Person, sight
from workbench.jobs.capabilities import read
from workbench.jobs.declared import QUEUES, declared_names, title_of
from workbench.jobs.lease import waiting
from workbench.jobs.models import Job, JobEvent, WorkerRow
from workbench.numbers import whole_number
from workbench.ui.parts import Facet, facet
from workbench.ui.times import when_words

LOG_SHOWN, CHARACTERS_SHOWN = 200, 100_000
LINE_COUNTED = 100


def visible_jobs(user: Person) -> models.QuerySet[Job]:
    """Return the jobs that `user` may see: their own, and those of teams and instances in their sight. No query."""
    if not isinstance(user, User) or not user.is_active:
        return Job.objects.none()
    return Job.objects.filter(
        models.Q(owner=user)
        | sight(user, team="team", kind="instance", pk="instance_id")
    )


@dataclass(frozen=True)
class JobFilter:
    """The filters of the list, as they stand in the URL. Unknown values find nothing, and can be taken off."""

    states: Sequence[str] = ()
    queues: Sequence[str] = ()
    names: Sequence[str] = ()
    whose: str = ""
    instance: int | None = None

    @classmethod
    def read(cls, query: QueryDict) -> JobFilter:
        return cls(
            query.getlist("state"),
            query.getlist("queue"),
            query.getlist("kind"),
            query.get("whose", ""),
            whole_number(query.get("instance", "")),
        )

    def apply(self, jobs: models.QuerySet[Job], user: Person) -> models.QuerySet[Job]:
        for field, values in (
            ("state", self.states),
            ("queue", self.queues),
            ("name", self.names),
        ):
            if values:
                jobs = jobs.filter(**{f"{field}__in": values})
        if self.whose == "mine":
            jobs = jobs.filter(owner_id=user.pk)
        if self.instance is not None:
            jobs = jobs.filter(instance_id=self.instance)
        return jobs

    def __bool__(self) -> bool:
        return bool(
            self.states or self.queues or self.names or self.whose or self.instance
        )


def job_facets(user: Person, chosen: JobFilter) -> list[Facet]:
    """Return the filters of the list. Counted is what is open, since what has ended is never few. One query."""
    open_jobs = dict(
        visible_jobs(user)
        .filter(state__in=Job.OPEN)
        .order_by()
        .values_list("state")
        .annotate(number=models.Count("pk"))
    )
    states: list[tuple[str, int | None]] = [
        (state, open_jobs.get(state, 0) if state in Job.OPEN else None)
        for state, _ in Job.STATES
    ]
    return [
        facet("state", "State", states, chosen.states, several=True, tones=Job.TONES),
        facet(
            "whose",
            "Whose",
            [("mine", None)],
            [chosen.whose] if chosen.whose else [],
            labels={"mine": "my own"},
        ),
        facet(
            "queue",
            "Queue",
            [(queue, None) for queue in QUEUES],
            chosen.queues,
            several=True,
        ),
        facet(
            "kind",
            "Kind",
            [(name, None) for name in declared_names()],
            chosen.names,
            several=True,
            labels={
                name: title_of(name) for name in [*declared_names(), *chosen.names]
            },
        ),
    ]


@dataclass(frozen=True)
class Log:
    """The newest lines of a job's log, oldest first; `earlier` is the id before which there are more, if there are."""

    lines: Sequence[JobEvent]
    earlier: int | None


def log_of(job: Job, before: int | None = None, *, traces: bool = False) -> Log:
    """Return the log of `job`, up to 200 lines (fewer of very long ones) before the id `before`. One query."""
    kinds = [
        JobEvent.STATE,
        JobEvent.END,
        JobEvent.LOG,
        *([JobEvent.TRACE] if traces else []),
    ]
    events = job.events.filter(kind__in=kinds).order_by("-pk")
    if before is not None:
        events = events.filter(pk__lt=before)
    found = list(events[: LOG_SHOWN + 1])
    shown: list[JobEvent] = []
    room = CHARACTERS_SHOWN
    for event in found[:LOG_SHOWN]:
        room -= len(event.text)
        if room < 0 and shown:
            break
        shown.append(event)
    shown.reverse()
    return Log(shown, shown[0].pk if len(found) > len(shown) else None)


def log_text(job: Job, *, traces: bool = False) -> str:
    """Return the whole log of `job` as text, a moment (UTC) before each line. One query; a few MB at most."""
    kinds = [JobEvent.STATE, JobEvent.END, JobEvent.LOG, *([JobEvent.TRACE] if traces else [])]  # fmt: skip
    rows = job.events.filter(kind__in=kinds).order_by("pk").values_list("at", "text")
    return "".join(f"{at:%Y-%m-%d %H:%M:%S}  {text}\n" for at, text in rows.iterator())


def fresh_after() -> timedelta:
    """Return how old a heartbeat may be before the worker counts as gone."""
    return timedelta(seconds=settings.JOB_LEASE_SECONDS)


def live_workers() -> models.QuerySet[WorkerRow]:
    """Return the workers with a fresh heartbeat. No query until it is read."""
    return WorkerRow.objects.filter(heartbeat_at__gte=Now() - fresh_after())


def why_waiting(job: Job, workers: Iterable[WorkerRow] | None = None) -> str:
    """Return in a sentence what the queued `job` waits for; "" for one that does not wait. At most two queries."""
    if job.state != Job.QUEUED:
        return ""
    up = [
        worker
        for worker in (live_workers() if workers is None else workers)
        if not worker.stopping
    ]
    if not up:
        return "No worker is up. Start one with bin/workbench worker."
    well = [worker for worker in up if not worker.trouble]
    if not well:
        return f"Worker {up[0].name} takes no new work: {up[0].trouble}."
    up = well
    if not any(worker.serves(job) for worker in up):
        return _nobody_serves(job, up)
    if job.not_before is not None and job.not_before > timezone.now():
        return f"The next attempt begins at {when_words(job.not_before)}."
    ahead = (
        waiting()
        .filter(queue=job.queue)
        .filter(
            models.Q(priority__gt=job.priority)
            | models.Q(priority=job.priority, pk__lt=job.pk)
        )
    )
    number = ahead.order_by()[: LINE_COUNTED + 1].count()
    if number == 0:
        return "Next in line."
    if number > LINE_COUNTED:
        return f"More than {LINE_COUNTED} jobs of this queue are ahead of it."
    return f"{number} {'job' if number == 1 else 'jobs'} of this queue {'is' if number == 1 else 'are'} ahead of it."


def _nobody_serves(job: Job, up: Sequence[WorkerRow]) -> str:
    count = (
        "1 worker is up, but it"
        if len(up) == 1
        else f"{len(up)} workers are up, but none"
    )
    verb = (
        ("does not take", "does not know", "does not offer")
        if len(up) == 1
        else ("takes", "knows", "offers")
    )
    right = [worker for worker in up if job.queue in worker.queues.split()]
    if not right:
        return f"{count} {verb[0]} the queue {job.queue}. Start one with bin/workbench worker --queues {job.queue}."
    right = [worker for worker in right if job.name in worker.jobs.split()]
    if not right:
        return (
            f"{count} {verb[1]} this kind of job. Restart the workers after an upgrade."
        )
    missing = min((read(job.needs) - read(worker.offers) for worker in right), key=len)
    return f"{count} {verb[2]} {', '.join(sorted(missing))}. Start a worker on a machine that has it."


@dataclass(frozen=True)
class QueueState:
    """How one queue stands."""

    name: str
    waiting: int
    running: int
    oldest: datetime | None


def queue_states() -> list[QueueState]:
    """Return each declared queue with what is open in it, whosever it is. One query."""
    rows = (
        Job.objects.filter(state__in=Job.OPEN)
        .order_by()
        .values("queue")
        .annotate(
            waiting=models.Count("pk", filter=models.Q(state=Job.QUEUED)),
            running=models.Count("pk", filter=models.Q(state=Job.RUNNING)),
            oldest=models.Min("created_at", filter=models.Q(state=Job.QUEUED)),
        )
    )
    found = {
        row["queue"]: QueueState(
            row["queue"], row["waiting"], row["running"], row["oldest"]
        )
        for row in rows
    }
    names = [*QUEUES, *sorted(found.keys() - QUEUES.keys())]
    return [found.get(name) or QueueState(name, 0, 0, None) for name in names]
