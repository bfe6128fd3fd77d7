"""An instance, its revisions and what a revision holds."""

from __future__ import annotations

from typing import ClassVar

from django.conf import settings
from django.db import models

from curation.sources.registry import language
from workbench.access.rights import Person, sight
from workbench.access.roles import VIEW


class InstanceQuerySet(models.QuerySet["Instance"]):
    def visible_to(self, user: Person, right: str = VIEW) -> InstanceQuerySet:
        """Cut to the instances on which `user` holds `right`, hidden ones left out."""
        return self.filter(
            sight(user, kind=Instance.access_kind, right=right), hidden=False
        )


class Instance(models.Model):
    """One benchmark of a team. Its slug is its name in addresses and on the command line."""

    access_kind: ClassVar[str] = "instance"

    team = models.ForeignKey("access.Team", models.PROTECT, related_name="instances")
    slug = models.SlugField(max_length=100, unique=True)
    benchmark_id = models.CharField(max_length=200)
    description = models.TextField(blank=True)
    language = models.CharField(max_length=32, blank=True)
    track = models.PositiveSmallIntegerField(default=2)
    hidden = models.BooleanField(default=False)
    created_at = models.DateTimeField(auto_now_add=True)
    changed_at = models.DateTimeField(auto_now_add=True)

    objects = InstanceQuerySet.as_manager()

    class Meta:
        ordering = ("slug",)
        constraints = (
            models.UniqueConstraint(
                fields=("team", "benchmark_id"), name="one_benchmark_a_team"
            ),
        )

    def __str__(self) -> str:
        return self.slug

    @property
    def language_title(self) -> str:
        """The language as people write it; nothing where the manifest names none."""
        known = language(self.language) if self.language else None
        return known.title if known else self.language


class Revision(models.Model):
    """An immutable snapshot of an instance's files, with what the importer counted in it."""

    REASONS = (("import", "import"), ("repair", "repair"), ("edit", "edit"))

    instance = models.ForeignKey(Instance, models.CASCADE, related_name="revisions")
    number = models.PositiveIntegerField()
    snapshot = models.ForeignKey("content.Snapshot", models.PROTECT, related_name="+")
    parent = models.ForeignKey("self", models.PROTECT, null=True, related_name="+")
    source = models.ForeignKey(
        "instances.Source", models.PROTECT, null=True, related_name="revisions"
    )
    reason_class = models.CharField(max_length=16, choices=REASONS, default="import")
    note = models.TextField(blank=True)
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)
    is_current = models.BooleanField(default=True)
    root_package = models.CharField(max_length=200)
    lean_version = models.CharField(max_length=100)
    modes = models.CharField(max_length=100, blank=True)
    module_count = models.PositiveIntegerField(default=0)
    api_count = models.PositiveIntegerField(default=0)
    spec_count = models.PositiveIntegerField(default=0)
    definition_count = models.PositiveIntegerField(default=0)
    item_count = models.PositiveIntegerField(default=0)
    error_count = models.PositiveIntegerField(default=0)
    warning_count = models.PositiveIntegerField(default=0)
    note_count = models.PositiveIntegerField(default=0)
    added = models.PositiveIntegerField(default=0)
    changed = models.PositiveIntegerField(default=0)
    removed = models.PositiveIntegerField(default=0)

    class Meta:
        ordering = ("instance", "-number")
        constraints = (
            models.UniqueConstraint(
                fields=("instance", "number"), name="one_revision_a_number"
            ),
            models.UniqueConstraint(
                fields=("instance",),
                condition=models.Q(is_current=True),
                name="one_current_revision",
            ),
        )

    def __str__(self) -> str:
        return f"{self.instance.slug} r{self.number}"

    @property
    def finding_count(self) -> int:
        """Errors, warnings and notes together."""
        return self.error_count + self.warning_count + self.note_count

    @property
    def team_id(self) -> int:
        return self.instance.team_id


class Module(models.Model):
    """A module of the manifest, in its order. Paths are empty where the module has no such file."""

    revision = models.ForeignKey(Revision, models.CASCADE, related_name="modules")
    position = models.PositiveIntegerField()
    name = models.CharField(max_length=200)
    package = models.CharField(max_length=200)
    impl_path = models.CharField(max_length=1000, blank=True)
    spec_path = models.CharField(max_length=1000, blank=True)
    api_count = models.PositiveIntegerField(default=0)
    spec_count = models.PositiveIntegerField(default=0)

    class Meta:
        ordering = ("revision", "position")

    def __str__(self) -> str:
        return self.name


class RevisionFinding(models.Model):
    """An oddity of a revision's files; docs/findings/ has a page for each `code`."""

    SEVERITIES = (("error", "error"), ("warning", "warning"), ("info", "info"))

    revision = models.ForeignKey(Revision, models.CASCADE, related_name="findings")
    code = models.CharField(max_length=64)
    severity = models.CharField(max_length=8, choices=SEVERITIES)
    path = models.CharField(max_length=1000, blank=True)
    line = models.PositiveIntegerField(null=True)
    message = models.TextField()

    class Meta:
        indexes = (
            models.Index(
                fields=("revision", "severity", "code"), name="finding_facets"
            ),
        )

    def __str__(self) -> str:
        return f"{self.code}: {self.path}"
