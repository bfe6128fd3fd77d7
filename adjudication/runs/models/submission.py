"""Who handed in what: configurations, submissions, and what was refused at the door."""

from __future__ import annotations

from typing import ClassVar

from django.conf import settings
from django.db import models
from django.urls import reverse

from curation.instances.models import Instance, Revision

MODES = (("proof", "proof"), ("codeproof", "code and proof"))


class Configuration(models.Model):
    """An agent harness with a model and an effort, as one team names it."""

    team = models.ForeignKey(
        "access.Team", models.PROTECT, related_name="configurations"
    )
    slug = models.SlugField(max_length=100)
    harness = models.CharField(max_length=100)
    model = models.CharField(max_length=100, blank=True)
    effort = models.CharField(max_length=50, blank=True)
    hidden = models.BooleanField(default=False)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("slug",)
        constraints = (
            models.UniqueConstraint(
                fields=("team", "slug"), name="one_configuration_a_slug"
            ),
        )

    def __str__(self) -> str:
        return " / ".join(filter(None, (self.harness, self.model, self.effort)))


class Submission(models.Model):
    """Filled slots for one revision in one mode by one configuration. Never changed; handed in again it is the same.

    `key` is the digest of slots, revision, mode and configuration. `files` holds the artifact as it was taken in and
    `run.json` where there was one. Numbers that `run.json` did not give are None: not recorded.
    """

    access_kind: ClassVar[str] = "submission"
    BASES = (("telemetry", "telemetry"), ("estimated", "estimated"))

    team = models.ForeignKey("access.Team", models.PROTECT, related_name="submissions")
    instance = models.ForeignKey(Instance, models.PROTECT, related_name="submissions")
    revision = models.ForeignKey(Revision, models.PROTECT, related_name="submissions")
    mode = models.CharField(max_length=10, choices=MODES)
    configuration = models.ForeignKey(
        Configuration, models.PROTECT, related_name="submissions"
    )
    key = models.CharField(max_length=64, unique=True)
    slot_digest = models.CharField(max_length=64)
    files = models.ForeignKey("content.Snapshot", models.PROTECT, related_name="+")
    file_name = models.CharField(max_length=300, blank=True)
    notes = models.TextField(blank=True, help_text="one sentence a line")
    submitter = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+"
    )
    started_at = models.DateTimeField(null=True)
    elapsed_s = models.FloatField(null=True)
    budget_s = models.FloatField(null=True)
    cost_usd = models.DecimalField(max_digits=14, decimal_places=6, null=True)
    cost_basis = models.CharField(max_length=10, choices=BASES, blank=True)
    tokens = models.BigIntegerField(null=True)
    attempt = models.PositiveIntegerField(null=True)
    of_attempts = models.PositiveIntegerField(null=True)
    hidden = models.BooleanField(default=False)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("-pk",)
        indexes = (
            models.Index(
                fields=("instance", "mode", "configuration"), name="submission_cell"
            ),
        )

    def __str__(self) -> str:
        return f"{self.configuration} on {self.instance} ({self.mode})"

    def get_absolute_url(self) -> str:
        return reverse("runs:submission", args=[self.pk])


class Refusal(models.Model):
    """A file that was handed in and not taken, with the reason in words."""

    team = models.ForeignKey("access.Team", models.CASCADE, related_name="refusals")
    person = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+"
    )
    file_name = models.CharField(max_length=300)
    size = models.PositiveBigIntegerField(default=0)
    why = models.TextField()
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("-pk",)

    def __str__(self) -> str:
        return f"{self.file_name}: {self.why}"
