"""Closures, findings, how findings move, rulings and repairs. Source: audit.md."""

from __future__ import annotations

from typing import ClassVar

from django.conf import settings
from django.db import models

from adjudication.runs.models import Configuration, GradingRun
from curation.instances.models import Definition, Instance, Revision


class Finding(models.Model):
    """One or more closures with one root cause, under adjudication. Its state moves only as states.py allows."""

    NEW, TRIAGED, CONFIRMED, REJECTED = "new", "triaged", "confirmed", "rejected"
    NEEDS_EVIDENCE, DUPLICATE = "needs_evidence", "duplicate"
    REPAIR_DRAFTED, REPAIRED, VERIFIED, RELEASED = (
        "repair_drafted", "repaired", "verified", "released",
    )  # fmt: skip
    STATES = (
        (NEW, "new"),
        (TRIAGED, "triaged"),
        (CONFIRMED, "confirmed"),
        (REJECTED, "dismissed"),
        (NEEDS_EVIDENCE, "needs evidence"),
        (DUPLICATE, "duplicate"),
        (REPAIR_DRAFTED, "repair drafted"),
        (REPAIRED, "repaired"),
        (VERIFIED, "repair verified"),
        (RELEASED, "released"),
    )
    SEVERITIES = (("high", "high"), ("medium", "medium"), ("low", "low"))

    instance = models.ForeignKey(
        Instance, models.PROTECT, related_name="audit_findings"
    )
    number = models.PositiveIntegerField(help_text="F-12 of the instance")
    state = models.CharField(max_length=16, choices=STATES, default=NEW)
    route = models.CharField(max_length=12)
    title = models.CharField(max_length=300)
    rule = models.CharField(
        max_length=200,
        help_text="by which rule, and which version of it, it was grouped",
    )
    group_key = models.CharField(max_length=64)
    severity = models.CharField(max_length=8, choices=SEVERITIES, default="medium")
    assignee = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+"
    )
    duplicate_of = models.ForeignKey(
        "self", models.PROTECT, null=True, related_name="duplicates"
    )
    snoozed_hash = models.CharField(
        max_length=64, blank=True, help_text="snoozed while the spec's meaning is this"
    )
    opened_at = models.DateTimeField(auto_now_add=True)
    moved_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("-pk",)
        constraints = (
            models.UniqueConstraint(
                fields=("instance", "number"), name="one_finding_a_number"
            ),
        )
        indexes = (
            models.Index(fields=("state", "-id"), name="finding_queue"),
            models.Index(fields=("instance", "group_key"), name="finding_group"),
        )

    def __str__(self) -> str:
        return f"F-{self.number} of {self.instance}"

    @property
    def team_id(self) -> int:
        return self.instance.team_id


class Closure(models.Model):
    """Negative evidence on one revision: proved in a run, or claimed by a person without a run.

    A claim is unproven and stays so: who wants it machine-checked hands its proof in, which makes another closure. The
    database holds that no closure without a run carries a basis, lights, a statement or axioms.
    """

    ROUTES = (
        ("disprove", "refuted"),
        ("unsat", "unsatisfiable"),
        ("joint_unsat", "contradictory together"),
    )
    BASES: ClassVar = (
        ("clean", "clean certificate"),
        ("reconstructed", "reconstructed certificate"),
        ("evaluation", "independently reproduced evaluation"),
        ("unproven", "claimed by hand, not machine-checked"),
    )
    UNPROVEN: ClassVar = "unproven"

    finding = models.ForeignKey(Finding, models.PROTECT, related_name="closures")
    instance = models.ForeignKey(Instance, models.PROTECT, related_name="closures")
    revision = models.ForeignKey(Revision, models.PROTECT, related_name="+")
    run = models.ForeignKey(
        GradingRun, models.PROTECT, null=True, related_name="closures"
    )
    configuration = models.ForeignKey(
        Configuration, models.PROTECT, null=True, related_name="+"
    )
    person = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+"
    )
    route = models.CharField(max_length=12, choices=ROUTES)
    basis = models.CharField(max_length=16, choices=BASES, default="clean")
    specs = models.ManyToManyField(Definition, related_name="closures")
    theorem = models.CharField(max_length=400)
    statement = models.CharField(max_length=64)
    axioms = models.TextField(blank=True)
    lights = models.CharField(max_length=5, blank=True)
    proof = models.TextField()
    proof_hash = models.CharField(max_length=64)
    witness = models.TextField(
        blank=True,
        help_text="JSON: variables and what each side evaluates to, if given",
    )
    words = models.TextField(blank=True, help_text="what a person says who claims it")
    grouped_because = models.CharField(max_length=300)
    found_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("pk",)
        constraints = (
            models.UniqueConstraint(
                fields=("run", "theorem"),
                condition=models.Q(run__isnull=False),
                name="one_closure_a_theorem",
            ),
            models.CheckConstraint(
                condition=models.Q(run__isnull=False) & ~models.Q(basis="unproven")
                | models.Q(
                    run__isnull=True,
                    person__isnull=False,
                    basis="unproven",
                    lights="",
                    statement="",
                    axioms="",
                ),
                name="what_no_run_found_is_unproven",
            ),
        )

    def __str__(self) -> str:
        return f"{self.theorem or 'a claim'}: {self.get_route_display()}"

    @property
    def is_proved(self) -> bool:
        """Whether a machine checked it. False for what a person claims."""
        return self.basis != self.UNPROVEN

    @property
    def team_id(self) -> int:
        return self.instance.team_id


class NotSame(models.Model):
    """Somebody split these: no rule puts the closure into the finding again."""

    closure = models.ForeignKey(Closure, models.CASCADE, related_name="not_same")
    group_key = models.CharField(max_length=64)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=("closure", "group_key"), name="one_not_same_a_pair"
            ),
        )

    def __str__(self) -> str:
        return f"{self.closure} is not of {self.group_key[:8]}"


class Merge(models.Model):
    """Somebody said that `finding` is the same as `into`: its closures went there, and come back when it is taken apart."""

    finding = models.ForeignKey(Finding, models.CASCADE, related_name="merges")
    into = models.ForeignKey(Finding, models.CASCADE, related_name="merged_in")
    closures = models.ManyToManyField(Closure, related_name="+")
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    reason = models.TextField(blank=True)
    is_current = models.BooleanField(default=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("-pk",)
        constraints = (
            models.UniqueConstraint(
                fields=("finding",),
                condition=models.Q(is_current=True),
                name="one_current_merge",
            ),
        )

    def __str__(self) -> str:
        return f"{self.finding} into {self.into}"


class TurningPoint(models.Model):
    """A move of a finding from state to state, with who and why. `by` None: the system drew a consequence."""

    finding = models.ForeignKey(Finding, models.CASCADE, related_name="turning_points")
    before = models.CharField(max_length=16, choices=Finding.STATES)
    after = models.CharField(max_length=16, choices=Finding.STATES)
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+"
    )
    code = models.CharField(
        max_length=32, blank=True, help_text="of a dismissal: its enumerated reason"
    )
    reason = models.TextField(blank=True)
    correlation = models.UUIDField()
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("pk",)

    def __str__(self) -> str:
        return f"{self.finding}: {self.before} → {self.after}"


class Ruling(models.Model):
    """The decision on a finding. The newest is the one that stands."""

    CATEGORIES = (
        ("mistranslated", "mistranslated definition or semantics"),
        ("missing_condition", "missing domain or operation condition"),
        ("reference_mismatch", "reference implementation mismatch"),
        ("direct_conflict", "direct conflict between specs"),
        ("vacuous", "vacuous spec"),
        ("checker", "checker problem"),
        ("intended", "intended"),
        ("not_reproducible", "not reproducible"),
    )

    finding = models.ForeignKey(Finding, models.CASCADE, related_name="rulings")
    category = models.CharField(max_length=24, choices=CATEGORIES)
    severity = models.CharField(max_length=8, choices=Finding.SEVERITIES)
    root_cause = models.TextField(blank=True)
    rationale = models.TextField()
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    is_current = models.BooleanField(default=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("-pk",)
        constraints = (
            models.UniqueConstraint(
                fields=("finding",),
                condition=models.Q(is_current=True),
                name="one_current_ruling",
            ),
        )

    def __str__(self) -> str:
        return f"{self.finding}: {self.get_category_display()}"


class Repair(models.Model):
    """A revision that is to settle a finding, and whether the closures still check on it. The newest one counts.

    `holds` is what the re-check found: True where no closure of the finding checks any more. None: nothing was checked,
    or not yet; a finding that only people claimed stays so, and a person says that it is repaired.
    """

    finding = models.ForeignKey(Finding, models.CASCADE, related_name="repairs")
    revision = models.ForeignKey(Revision, models.PROTECT, related_name="repairs")
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    job = models.ForeignKey("jobs.Job", models.PROTECT, null=True, related_name="+")
    checked_at = models.DateTimeField(null=True)
    holds = models.BooleanField(null=True)
    words = models.TextField(blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("-pk",)

    def __str__(self) -> str:
        return f"{self.revision} repairs {self.finding}"
