"""Jobs, what happened in them, and the workers that run them. The rows are the truth; engines only carry keys."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.conf import settings
from django.db import models
from django.urls import reverse

from workbench.jobs.capabilities import read
from workbench.jobs.declared import title_of


@dataclass(frozen=True)
class JobScope:
    """What rights on a job are asked on: its team, and the instance that it is about."""

    pk: int | None
    team_id: int | None
    access_kind: str = "instance"


class Job(models.Model):
    """One piece of background work.

    queued → running → done | failed | declined | cancelled. A worker lost under it: running → queued, while attempts
    are left. A person may retry what ended without a result: failed | declined | cancelled → queued. While it runs,
    `lease` is the token without which nobody may write to it, good until `lease_until`.
    """

    QUEUED, RUNNING, DONE = "queued", "running", "done"
    FAILED, DECLINED, CANCELLED = "failed", "declined", "cancelled"
    STATES = tuple(
        (state, state) for state in (QUEUED, RUNNING, DONE, FAILED, DECLINED, CANCELLED)
    )
    OPEN = (QUEUED, RUNNING)
    RETRYABLE = (FAILED, DECLINED, CANCELLED)
    TONES = {
        QUEUED: "off",
        RUNNING: "run",
        DONE: "ok",
        FAILED: "bad",
        DECLINED: "warn",
        CANCELLED: "na",
    }

    name = models.CharField(max_length=64)
    key = models.CharField(max_length=200, unique=True, null=True, blank=True)
    args = models.TextField(default="{}")
    state = models.CharField(max_length=10, choices=STATES, default=QUEUED)
    queue = models.CharField(max_length=32)
    needs = models.CharField(max_length=300, blank=True)
    priority = models.SmallIntegerField(default=0)
    not_before = models.DateTimeField(null=True)

    attempt = models.PositiveSmallIntegerField(default=0)
    max_attempts = models.PositiveSmallIntegerField()
    limit_s = models.PositiveIntegerField()
    lease = models.CharField(max_length=32, blank=True)
    lease_until = models.DateTimeField(null=True)
    worker = models.CharField(max_length=100, blank=True)

    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+"
    )
    team = models.ForeignKey(
        "access.Team", models.PROTECT, null=True, related_name="+", db_index=False
    )
    about_kind = models.CharField(max_length=32, blank=True)
    about_id = models.CharField(max_length=64, blank=True)
    about_name = models.CharField(max_length=300, blank=True)
    about_url = models.CharField(max_length=500, blank=True)
    instance_id = models.BigIntegerField(null=True)

    done = models.PositiveBigIntegerField(default=0)
    total = models.PositiveBigIntegerField(default=0)
    doing = models.CharField(max_length=300, blank=True)
    result = models.TextField(blank=True)
    summary = models.CharField(max_length=300, blank=True)
    link = models.CharField(max_length=500, blank=True)
    error = models.TextField(blank=True)

    cancel_requested = models.BooleanField(default=False)
    cancelled_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.PROTECT,
        null=True,
        related_name="+",
        db_index=False,
    )
    correlation = models.UUIDField()
    created_at = models.DateTimeField()
    started_at = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ("-pk",)
        indexes = (
            models.Index(
                fields=("-priority", "id"),
                name="job_waiting",
                condition=models.Q(state="queued"),
            ),
            models.Index(
                fields=("lease_until",),
                name="job_running",
                condition=models.Q(state="running"),
            ),
            models.Index(
                fields=("-id",),
                name="job_troubled",
                condition=models.Q(state__in=("failed", "declined", "cancelled")),
            ),
            models.Index(fields=("team", "-id"), name="job_team"),
            models.Index(fields=("instance_id", "-id"), name="job_instance"),
        )
        constraints = (
            models.CheckConstraint(
                name="job_running_has_lease",
                condition=models.Q(state="running", lease_until__isnull=False)
                & ~models.Q(lease="")
                | ~models.Q(state="running")
                & models.Q(lease="", lease_until__isnull=True),
            ),
            models.CheckConstraint(
                name="job_ended_has_time",
                condition=models.Q(
                    state__in=("queued", "running"), finished_at__isnull=True
                )
                | ~models.Q(state__in=("queued", "running"))
                & models.Q(finished_at__isnull=False),
            ),
        )

    def __str__(self) -> str:
        return f"job {self.pk}: {self.title}"

    def get_absolute_url(self) -> str:
        return reverse("jobs:detail", args=[self.pk])

    @property
    def event_name(self) -> str:
        """How the record names it."""
        about = f" ({self.about_name})" if self.about_name else ""
        return f"{self.title} {self.pk}{about}"

    @property
    def title(self) -> str:
        return title_of(self.name)

    @property
    def tone(self) -> str:
        return self.TONES[self.state]

    @property
    def state_words(self) -> str:
        """The state in a word or two, as shown."""
        if self.state == self.RUNNING and self.cancel_requested:
            return "being cancelled"
        return self.state

    @property
    def is_open(self) -> bool:
        return self.state in self.OPEN

    @property
    def is_retryable(self) -> bool:
        return self.state in self.RETRYABLE

    @property
    def scope(self) -> JobScope:
        return JobScope(self.instance_id, self.team_id)

    @property
    def outcome(self) -> Any:
        """The JSON document that the job gave as its result, or None."""
        return json.loads(self.result) if self.result else None

    @property
    def arguments(self) -> dict[str, Any]:
        return dict(json.loads(self.args))

    @property
    def given(self) -> list[tuple[str, str]]:
        """The arguments that say something to people: filled ones whose name does not begin with an underscore."""
        return [
            (key.replace("_", " "), str(value))
            for key, value in self.arguments.items()
            if not key.startswith("_") and value not in ("", None)
        ]

    def seconds(self, now: datetime) -> float | None:
        """Return how long the present or last attempt took, in seconds; None before the first."""
        if self.started_at is None:
            return None
        return ((self.finished_at or now) - self.started_at).total_seconds()


class JobEvent(models.Model):
    """One thing that happened in a job; browsers follow them by id. Progress rows go when the job ends."""

    STATE, END = "state", "end"
    PROGRESS, LOG, TRACE = "progress", "log", "trace"
    KINDS = tuple((kind, kind) for kind in (STATE, END, PROGRESS, LOG, TRACE))

    job = models.ForeignKey(Job, models.CASCADE, related_name="events", db_index=False)
    at = models.DateTimeField()
    kind = models.CharField(max_length=8, choices=KINDS)
    attempt = models.PositiveSmallIntegerField()
    text = models.TextField()
    tone = models.CharField(max_length=4, blank=True)

    class Meta:
        ordering = ("pk",)
        indexes = (models.Index(fields=("job", "id"), name="jobevent_job"),)

    def __str__(self) -> str:
        return f"{self.kind} of job {self.job_id}"

    @property
    def parts(self) -> list[str]:
        """The text, line by line."""
        return self.text.splitlines() or [""]


class WorkerRow(models.Model):
    """A worker that is up, as long as its heartbeat is fresh. `place` names the machine boot and process namespace.

    `trouble` says why it takes no new work at present, if it does not.
    """

    name = models.CharField(max_length=100, unique=True)
    host = models.CharField(max_length=100)
    place = models.CharField(max_length=200)
    pid = models.PositiveIntegerField()
    pid_started = models.PositiveBigIntegerField()
    processes = models.PositiveSmallIntegerField()
    queues = models.CharField(max_length=200)
    offers = models.CharField(max_length=1000, blank=True)
    jobs = models.TextField()
    stopping = models.BooleanField(default=False)
    trouble = models.CharField(max_length=300, blank=True)
    started_at = models.DateTimeField()
    heartbeat_at = models.DateTimeField()

    class Meta:
        ordering = ("name",)

    def __str__(self) -> str:
        return self.name

    def serves(self, job: Job) -> bool:
        """Return whether this worker takes jobs like `job`."""
        return (
            not self.stopping
            and not self.trouble
            and job.queue in self.queues.split()
            and job.name in self.jobs.split()
            and read(job.needs) <= read(self.offers)
        )
