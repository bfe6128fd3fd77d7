"""Releases: what was frozen, what was waived, and the archive that came out."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from adjudication.runs.models import GradingRun
from adjudication.standings.models import InstanceSet
from curation.instances.models import Revision


class Release(models.Model):
    """A frozen export of a set. draft → built → published; a published one can only be retracted.

    `archive_digest` is the SHA-256 of the archive's bytes: built again from the same members, they are the same.
    """

    DRAFT, BUILT, PUBLISHED, RETRACTED = "draft", "built", "published", "retracted"
    STATES = tuple((state, state) for state in (DRAFT, BUILT, PUBLISHED, RETRACTED))

    set = models.ForeignKey(InstanceSet, models.PROTECT, related_name="releases")
    version = models.CharField(max_length=40)
    runs = models.ManyToManyField(
        GradingRun, related_name="+", help_text="the current runs when it was frozen"
    )
    previous = models.ForeignKey("self", models.PROTECT, null=True, related_name="+")
    state = models.CharField(max_length=10, choices=STATES, default=DRAFT)
    note = models.TextField(blank=True)
    frozen_at = models.DateTimeField(help_text="the time that stands in the archive")
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+"
    )
    job = models.ForeignKey("jobs.Job", models.PROTECT, null=True, related_name="+")
    archive = models.CharField(
        max_length=300, blank=True, help_text="file below the data folder"
    )
    archive_digest = models.CharField(max_length=64, blank=True)
    archive_size = models.PositiveBigIntegerField(null=True)
    manifest = models.TextField(blank=True)
    changelog = models.TextField(blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    published_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ("-pk",)
        constraints = (
            models.UniqueConstraint(
                fields=("set", "version"), name="one_release_a_version"
            ),
        )

    def __str__(self) -> str:
        return f"{self.set.slug} {self.version}"

    @property
    def team_id(self) -> int:
        return self.set.team_id


class ReleaseMember(models.Model):
    """A revision in a release."""

    release = models.ForeignKey(Release, models.CASCADE, related_name="members")
    revision = models.ForeignKey(Revision, models.PROTECT, related_name="+")

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=("release", "revision"), name="one_place_a_revision"
            ),
        )

    def __str__(self) -> str:
        return str(self.revision)


class Waiver(models.Model):
    """Somebody with the right let a blocker pass for one release, and said why."""

    release = models.ForeignKey(Release, models.CASCADE, related_name="waivers")
    revision = models.ForeignKey(Revision, models.PROTECT, related_name="+")
    blocker = models.CharField(max_length=64, help_text="the blocker's own key")
    what = models.TextField()
    reason = models.TextField()
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=("release", "revision", "blocker"), name="one_waiver_a_blocker"
            ),
        )

    def __str__(self) -> str:
        return f"{self.blocker}: {self.reason}"
