"""Sets of instances and the cells of their boards. Source: standings.md."""

from __future__ import annotations

from typing import ClassVar

from django.db import models
from django.urls import reverse

from adjudication.runs.models import MODES, Configuration, GradingRun
from curation.instances.models import Instance

RESERVED = frozenset({"make", "import", "configurations", "id", "freeze", "for"})
"""Words that addresses below /boards/ and /releases/ use themselves: no set is called so."""


class InstanceSet(models.Model):
    """A named set of instances, with the policy by which a configuration's cell is chosen and may be published."""

    access_kind: ClassVar[str] = "set"
    BEST, LATEST = "best", "latest"
    CHOICES = (
        (BEST, "the submission with most specs passed"),
        (LATEST, "the newest submission"),
    )

    team = models.ForeignKey("access.Team", models.PROTECT, related_name="sets")
    slug = models.SlugField(max_length=100, unique=True)
    name = models.CharField(max_length=200)
    description = models.TextField(blank=True)
    choice = models.CharField(max_length=8, choices=CHOICES, default=BEST)
    needs_sandbox = models.BooleanField(
        default=True,
        help_text="a verdict without a proven sandbox may not be published",
    )
    hidden = models.BooleanField(default=False)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("slug",)

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        return reverse("boards:detail", args=[self.slug])


class SetMember(models.Model):
    """A place in a set. `instance` is None where only reported results are known of it; `specs` is its denominator, of the
    instance's current revision, whose number is `revision`."""

    set = models.ForeignKey(InstanceSet, models.CASCADE, related_name="members")
    name = models.CharField(max_length=100)
    instance = models.ForeignKey(
        Instance, models.PROTECT, null=True, related_name="memberships"
    )
    track = models.PositiveSmallIntegerField(null=True)
    specs = models.PositiveIntegerField()
    revision = models.PositiveIntegerField(null=True)

    class Meta:
        ordering = ("set", "name")
        constraints = (
            models.UniqueConstraint(fields=("set", "name"), name="one_member_a_name"),
            models.UniqueConstraint(
                fields=("set", "instance"),
                condition=models.Q(instance__isnull=False),
                name="one_member_an_instance",
            ),
        )

    def __str__(self) -> str:
        return self.name


class Cell(models.Model):
    """What one configuration has in one place of a set, in one mode: a roll-up of outcomes, or a reported count.

    `verified` cells are derived: written in the transaction that makes a run current, rebuilt by
    `bin/workbench rebuild-standings`, equal to the query over current outcomes. `reported` ones are what an import said.
    """

    VERIFIED, REPORTED = "verified", "reported"
    BASES = ((VERIFIED, "verified"), (REPORTED, "reported"))

    set = models.ForeignKey(InstanceSet, models.CASCADE, related_name="cells")
    member = models.ForeignKey(SetMember, models.CASCADE, related_name="cells")
    configuration = models.ForeignKey(
        Configuration, models.PROTECT, related_name="cells"
    )
    mode = models.CharField(max_length=10, choices=MODES)
    basis = models.CharField(max_length=8, choices=BASES)
    run = models.ForeignKey(GradingRun, models.PROTECT, null=True, related_name="cells")
    passed = models.PositiveIntegerField()
    specs = models.PositiveIntegerField()
    revision = models.PositiveIntegerField(
        null=True, help_text="number of the revision that its run was graded on"
    )
    failures = models.TextField(
        blank=True, help_text="outcome and count a line, without what passed"
    )
    cost_usd = models.DecimalField(max_digits=14, decimal_places=6, null=True)
    elapsed_s = models.FloatField(null=True)
    settings_digest = models.CharField(max_length=64, blank=True)
    graded_by = models.CharField(
        max_length=64,
        blank=True,
        help_text="digest of what publishing asks of a run: toolchain, grader, sandbox",
    )
    changed_at = models.DateTimeField(auto_now=True)

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=("member", "configuration", "mode", "basis"),
                name="one_cell_a_place",
            ),
            models.CheckConstraint(
                condition=models.Q(passed__lte=models.F("specs")),
                name="passed_within_specs",
            ),
        )
        indexes = (
            models.Index(
                fields=("set", "mode", "basis", "configuration"), name="cell_board"
            ),
        )

    def __str__(self) -> str:
        return f"{self.configuration} on {self.member}: {self.passed} / {self.specs}"

    @property
    def left(self) -> int:
        """How many specs are missing."""
        return self.specs - self.passed

    @property
    def reasons(self) -> str:
        """Why they are, on one line; "" where nothing failed or no reason is known."""
        return self.failures.replace("\n", ", ")


class ReportedSpend(models.Model):
    """What a configuration spent on a set in one mode, in US dollars, as reported for all of it."""

    set = models.ForeignKey(InstanceSet, models.CASCADE, related_name="spends")
    configuration = models.ForeignKey(Configuration, models.PROTECT, related_name="+")
    mode = models.CharField(max_length=10, choices=MODES)
    cost_usd = models.DecimalField(max_digits=14, decimal_places=6)

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=("set", "configuration", "mode"), name="one_spend_a_column"
            ),
        )

    def __str__(self) -> str:
        return f"{self.configuration} ({self.mode}): {self.cost_usd} USD"
