"""Releases: what was frozen, what was waived, and the archive that came out."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.urls import reverse

from adjudication.runs.models import GradingRun
from adjudication.standings.models import InstanceSet
from curation.instances.models import Revision


class Release(models.Model):
    """A frozen export of a set. draft → built → published; a published one can only be retracted.

    `archive_digest` is the SHA-256 of the archive's bytes: built again from the same members, they are the same, and
    `builds` counts how often they were. Before it is published, freezing it again or signing another waiver makes a
    draft of it. What the set is called and demands later is no matter: `title` and `needs_sandbox` are those of the freeze.
    """

    DRAFT, BUILT, PUBLISHED, RETRACTED = "draft", "built", "published", "retracted"
    STATES = tuple((state, state) for state in (DRAFT, BUILT, PUBLISHED, RETRACTED))

    set = models.ForeignKey(InstanceSet, models.PROTECT, related_name="releases")
    version = models.CharField(max_length=40)
    title = models.CharField(
        max_length=200, default="", help_text="the name of the set at that time"
    )
    needs_sandbox = models.BooleanField(
        default=True, help_text="the policy of the set: see what counts as a score"
    )
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
    builds = models.PositiveIntegerField(
        default=0, help_text="how often it was built, each time to these bytes"
    )
    built_at = models.DateTimeField(null=True)
    manifest = models.TextField(blank=True)
    changelog = models.TextField(blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    published_at = models.DateTimeField(null=True)
    published_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+"
    )
    retracted_at = models.DateTimeField(null=True)
    retracted_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+"
    )
    retraction = models.TextField(blank=True, help_text="why it was retracted")

    class Meta:
        ordering = ("-pk",)
        constraints = (
            models.UniqueConstraint(
                fields=("set", "version"), name="one_release_a_version"
            ),
        )

    def __str__(self) -> str:
        return f"{self.set.slug} {self.version}"

    def get_absolute_url(self) -> str:
        return reverse("releases:detail", args=[self.set.slug, self.version])

    @property
    def open(self) -> bool:
        """Whether it was not published yet: what is in it may still change."""
        return self.state in (self.DRAFT, self.BUILT)

    @property
    def file_name(self) -> str:
        """What the archive is called by who takes it away; "" until it is built."""
        return self.archive.rsplit("/", 1)[-1]

    @property
    def team_id(self) -> int:
        return self.set.team_id


class ReleaseMember(models.Model):
    """A revision in a release, with what was known of its source: that may be filled in later, the release stays."""

    release = models.ForeignKey(Release, models.CASCADE, related_name="members")
    revision = models.ForeignKey(Revision, models.PROTECT, related_name="+")
    licence = models.CharField(max_length=64, blank=True)
    source_files = models.ForeignKey(
        "content.Snapshot", models.PROTECT, null=True, related_name="+"
    )

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
