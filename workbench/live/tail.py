"""What is new since the last look, from the log of jobs and from the record, as pokes for browsers."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace

from django.db import connection
from django.db.models import Max, Q

from workbench.events.models import Event
from workbench.jobs.declared import title_of
from workbench.jobs.models import Job, JobEvent
from workbench.live.sight import Sight

# PostgreSQL gives out ids before it commits: a row may become visible after one with a higher id.
LATE_IDS = 200
BATCH = 500
ANNOUNCED = 3


@dataclass(frozen=True)
class Cursor:
    """How far somebody has read: the id of the last job event and the number of the last event."""

    job_event: int
    event: int

    def merged(self, poke: Poke) -> Cursor:
        if poke.source == "job":
            return replace(self, job_event=max(self.job_event, poke.number))
        return replace(self, event=max(self.event, poke.number))


@dataclass(frozen=True)
class Poke:
    """Something happened that may concern `topics`; `said` is what the owner of a job is told when it has ended."""

    source: str
    number: int
    topics: tuple[str, ...]
    owner_id: int | None
    team_id: int | None
    instance_id: int | None
    said: str = ""


def newest() -> Cursor:
    """Return the cursor behind everything that is there. Two queries."""
    return Cursor(
        JobEvent.objects.aggregate(last=Max("pk"))["last"] or 0,
        Event.objects.aggregate(last=Max("number"))["last"] or 0,
    )


class Tail:
    """Reads on from where it stands. One for a process."""

    def __init__(self, late_ids: int | None = None) -> None:
        self.cursor = newest()
        if late_ids is None:
            late_ids = LATE_IDS if connection.vendor == "postgresql" else 0
        self._window = late_ids
        self._seen: set[int] = set(
            JobEvent.objects.filter(
                pk__gt=self.cursor.job_event - self._window
            ).values_list("pk", flat=True)
        )

    def read(self) -> list[Poke]:
        """Return what is new, oldest first, at most some hundreds at a time. Two queries."""
        pokes = [*self._job_events(), *self._events()]
        for poke in pokes:
            self.cursor = self.cursor.merged(poke)
        self._seen = {
            pk for pk in self._seen if pk > self.cursor.job_event - self._window
        }
        return pokes

    def _job_events(self) -> Iterable[Poke]:
        rows = job_pokes(
            Q(pk__gt=self.cursor.job_event - self._window) & ~Q(pk__in=self._seen)
        )
        self._seen.update(poke.number for poke in rows if self._window)
        return rows

    def _events(self) -> Iterable[Poke]:
        # Numbers are given out under the lock of the chain, so none becomes visible late.
        return event_pokes(Q(number__gt=self.cursor.event))


def job_pokes(which: Q) -> list[Poke]:
    """Return the pokes for those job events. One query."""
    rows = JobEvent.objects.filter(which).order_by("pk").values_list(
        "pk", "kind", "job_id", "job__owner_id", "job__team_id", "job__instance_id",
        "job__name", "job__state", "job__summary", "job__error",
    )[:BATCH]  # fmt: skip
    return [
        Poke(
            "job",
            pk,
            _topics(f"job:{job}", "jobs", instance),
            owner,
            team,
            instance,
            _said(job, name, state, summary, error) if kind == JobEvent.END else "",
        )
        for pk, kind, job, owner, team, instance, name, state, summary, error in rows
    ]


def event_pokes(which: Q) -> list[Poke]:
    """Return the pokes for those events. One query."""
    rows = Event.objects.filter(which).order_by("number").values_list(
        "number", "object_kind", "object_id", "actor_id", "team_id", "instance_id"
    )[:BATCH]  # fmt: skip
    return [
        Poke(
            "event",
            number,
            _topics(f"{kind}:{pk}", "events", instance),
            actor if team is None else None,
            team,
            instance,
        )
        for number, kind, pk, actor, team, instance in rows
    ]


def _topics(own: str, listed: str, instance: int | None) -> tuple[str, ...]:
    topics = [own, listed]
    if instance is not None and own != f"instance:{instance}":
        topics.append(f"instance:{instance}")
    return tuple(topics)


def _said(job: int, name: str, state: str, summary: str, error: str) -> str:
    if state in Job.OPEN:
        return ""
    outcome = {
        Job.DONE: f"is done{f': {summary}' if summary else ''}",
        Job.CANCELLED: "was cancelled",
        Job.DECLINED: f"was stopped at a limit: {error[:200]}",
    }.get(state, f"failed: {error[:200]}")
    return f"{title_of(name)} {job} {outcome}"


def missed(
    sight: Sight, topics: Collection[str], since: Cursor
) -> tuple[set[str], list[tuple[int, str]]]:
    """Return the `topics` in which something happened after `since`, and what the person was not told meanwhile.

    One query a topic at most, one for what was not told.
    """
    touched = {topic for topic in topics if _touched(topic, since)}
    own = Q(pk__gt=since.job_event, kind=JobEvent.END, job__owner_id=sight.user_id)
    told = [
        (poke.number, poke.said)
        for poke in job_pokes(own & ~Q(job__state__in=Job.OPEN))
        if poke.said
    ]
    latest = {said: number for number, said in told}
    return touched, [(number, said) for said, number in latest.items()][-ANNOUNCED:]


def _touched(topic: str, since: Cursor) -> bool:
    job_events = JobEvent.objects.filter(pk__gt=since.job_event)
    events = Event.objects.filter(number__gt=since.event)
    name, _, pk = topic.partition(":")
    if topic == "jobs":
        return job_events.exists()
    if topic == "events":
        return events.exists()
    if name == "job":
        return job_events.filter(job_id=int(pk)).exists()
    if name == "instance":
        return (
            events.filter(instance_id=int(pk)).exists()
            or job_events.filter(job__instance_id=int(pk)).exists()
        )
    return events.filter(object_kind=name, object_id=pk).exists()
