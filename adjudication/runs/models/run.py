"""Grading runs, their outcomes, sets of re-grades, and the canary badge of a grader."""

from __future__ import annotations

from typing import ClassVar

from django.conf import settings
from django.db import models
from django.urls import reverse

from adjudication.runs.models.submission import Submission
from curation.instances.models import Definition, Instance
from workbench.jobs.models import Job

NOT_PROVEN = ", not proven"


class RegradeSet(models.Model):
    """Runs chosen by a filter and graded again beside the current results.

    open → applied | cancelled. It is ready when none of its runs is under way; applying makes all of them current in
    one transaction.
    """

    OPEN, APPLIED, CANCELLED = "open", "applied", "cancelled"
    STATES = tuple((state, state) for state in (OPEN, APPLIED, CANCELLED))

    team = models.ForeignKey("access.Team", models.PROTECT, related_name="+")
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+"
    )
    title = models.CharField(max_length=200)
    reason = models.TextField()
    query = models.CharField(
        max_length=2000,
        help_text="the filter of the list of runs, as its address has it",
    )
    on_current_revision = models.BooleanField(
        default=False,
        help_text="grade against the newest revision instead of the submitted one",
    )
    key = models.CharField(max_length=200, unique=True)
    state = models.CharField(max_length=10, choices=STATES, default=OPEN)
    created_at = models.DateTimeField(auto_now_add=True)
    closed_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ("-pk",)

    def __str__(self) -> str:
        return self.title

    def get_absolute_url(self) -> str:
        return reverse("runs:regrade_set", args=[self.pk])


class RunQuerySet(models.QuerySet["GradingRun"]):
    def ended(self) -> RunQuerySet:
        """Cut to runs that have a verdict."""
        return self.exclude(receipt_hash="")

    def counting(self) -> RunQuerySet:
        """Cut to what scores may count: current, of submissions that are shown, and on the instance's own files."""
        return self.filter(is_current=True, adaptation=None, submission__hidden=False)

    def applied(self) -> RunQuerySet:
        """Cut to ended runs whose verdict was ever made to count: gradings, and regrades of sets that were applied.

        Checks of repairs, and regrades of sets that are open or were cancelled, are results beside; no count of runs
        or outcomes takes them in.
        """
        return self.ended().filter(
            models.Q(purpose=GradingRun.GRADING)
            | models.Q(regrade_set__state=RegradeSet.APPLIED)
        )

    def regradable(self) -> RunQuerySet:
        """Cut to one run a submission: the current one, or the grading of one of which nothing counts.

        The latter ended when its revision was no longer the instance's newest.
        """
        counts = GradingRun.objects.filter(
            submission=models.OuterRef("submission"), is_current=True
        )
        uncounted = models.Q(purpose=GradingRun.GRADING) & ~models.Exists(counts)
        ended = self.exclude(receipt_hash="").filter(submission__hidden=False)
        return ended.filter(models.Q(is_current=True) | uncounted)

    def with_void(self) -> RunQuerySet:
        """Tell of each run at once whether it is void: `is_void` then asks nothing more."""
        void = Outcome.objects.filter(run=models.OuterRef("pk"), outcome=Outcome.VOID)
        return self.annotate(any_void=models.Exists(void))

    def shown(self) -> RunQuerySet:
        """Cut to runs of submissions and instances that were not retired."""
        return self.filter(submission__hidden=False, instance__hidden=False)

    def under_way(self) -> RunQuerySet:
        """Cut to runs whose job waits or runs."""
        return self.filter(receipt_hash="", job__state__in=Job.OPEN)


class GradingRun(models.Model):
    """One execution of the grader on a submission; its outcomes and receipt are written when it ends, all at once.

    Whether it waits, runs, failed or was cancelled is said by its job; with a receipt it is done.

    `is_current`: the latest applied run of its submission, the one that scores count; none where the only one ended when
    its revision was no longer the newest. `revision` is what it was graded
    against. Numbers are those of its outcomes.
    """

    access_kind: ClassVar[str] = "instance"
    GRADING, REGRADE, RECHECK = "grading", "regrade", "recheck"
    PURPOSES = (
        (GRADING, "grading"),
        (REGRADE, "regrade"),
        (RECHECK, "check of a repair"),
    )

    submission = models.ForeignKey(Submission, models.PROTECT, related_name="runs")
    purpose = models.CharField(
        max_length=8,
        choices=PURPOSES,
        default=GRADING,
        help_text="only a grading becomes current when it ends; a regrade when its set is applied; a recheck never",
    )
    instance = models.ForeignKey(Instance, models.PROTECT, related_name="runs")
    revision = models.ForeignKey(
        "instances.Revision", models.PROTECT, related_name="runs"
    )
    adaptation = models.ForeignKey(
        "runs.Adaptation",
        models.PROTECT,
        null=True,
        related_name="runs",
        help_text="what was built instead of the revision's own files",
    )
    number = models.PositiveIntegerField(help_text="1 for the first of its submission")
    regrade_set = models.ForeignKey(
        RegradeSet, models.PROTECT, null=True, related_name="runs"
    )
    replaces = models.ForeignKey(
        "self", models.PROTECT, null=True, related_name="replaced_by"
    )
    job = models.ForeignKey("jobs.Job", models.PROTECT, null=True, related_name="+")
    is_current = models.BooleanField(default=False)
    toolchain = models.CharField(max_length=100, blank=True)
    publishable = models.BooleanField(
        default=False, help_text="false for pocket Lean, whose library is ours"
    )
    toolchain_digest = models.CharField(max_length=64, blank=True)
    grader_digest = models.CharField(max_length=64, blank=True)
    settings_digest = models.CharField(
        max_length=64,
        blank=True,
        help_text="limits, policy, sandbox: scores with another never share a row",
    )
    sandbox = models.CharField(max_length=100, blank=True)
    receipt = models.ForeignKey(
        "content.Blob", models.PROTECT, null=True, related_name="+"
    )
    receipt_hash = models.CharField(max_length=64, blank=True)
    previous_receipt = models.CharField(max_length=64, blank=True)
    spec_count = models.PositiveIntegerField(default=0)
    passed_count = models.PositiveIntegerField(default=0)
    full_solve = models.BooleanField(default=False)
    alarms = models.TextField(blank=True, help_text="one sentence a line")
    seconds = models.FloatField(null=True)
    created_at = models.DateTimeField(auto_now_add=True)
    finished_at = models.DateTimeField(null=True)

    objects = RunQuerySet.as_manager()

    class Meta:
        ordering = ("-pk",)
        constraints = (
            models.UniqueConstraint(
                fields=("submission", "number"), name="one_run_a_number"
            ),
            models.UniqueConstraint(
                fields=("submission",),
                condition=models.Q(is_current=True),
                name="one_current_run",
            ),
            models.UniqueConstraint(
                fields=("regrade_set", "submission"),
                condition=models.Q(regrade_set__isnull=False),
                name="one_regrade_a_submission",
            ),
            models.UniqueConstraint(
                fields=("instance", "previous_receipt"),
                condition=~models.Q(receipt_hash=""),
                name="one_chain_of_receipts",
            ),
        )
        indexes = (models.Index(fields=("instance", "is_current"), name="run_current"),)

    def __str__(self) -> str:
        return f"run {self.pk}"

    def get_absolute_url(self) -> str:
        return reverse("runs:detail", args=[self.pk])

    @property
    def team_id(self) -> int:
        return self.submission.team_id

    @property
    def sandbox_holds(self) -> bool:
        """Whether a probe had shown that the sandbox it was graded in holds."""
        return bool(self.sandbox) and not self.sandbox.endswith(NOT_PROVEN)

    @property
    def done(self) -> bool:
        """Whether it has a verdict."""
        return bool(self.receipt_hash)

    @property
    def under_way(self) -> bool:
        """Whether its verdict is still to come."""
        return not self.done and self.job is not None and self.job.is_open

    @property
    def is_void(self) -> bool:
        """Whether a rule refused the whole run. One query, unless it came `with_void`."""
        if not self.done:
            return False
        known: bool | None = getattr(self, "any_void", None)
        if known is None:
            known = self.outcomes.filter(outcome=Outcome.VOID).exists()
        return known

    @property
    def standing(self) -> str:
        """What its result counts for, in words; empty while nothing is to be said. Needs its submission."""
        if self.submission.hidden:
            return "retired"
        if self.is_current:
            return "counts"
        if self.purpose != self.GRADING:
            return self.get_purpose_display()
        return "does not count" if self.done else ""

    @property
    def state(self) -> str:
        """done, or what its job says: queued, running, failed, declined, cancelled."""
        if self.done:
            return Job.DONE
        if self.job is None or self.job.state == Job.DONE:
            return Job.FAILED
        return self.job.state


class Outcome(models.Model):
    """What became of one spec in one run. `lights` is five letters, one a light: g green, r red, - not available."""

    VOID = "void"

    run = models.ForeignKey(GradingRun, models.CASCADE, related_name="outcomes")
    definition = models.ForeignKey(
        Definition, models.PROTECT, null=True, related_name="outcomes"
    )
    spec = models.CharField(max_length=400)
    position = models.PositiveIntegerField()
    outcome = models.CharField(max_length=20)
    route = models.CharField(max_length=12, blank=True)
    detail = models.TextField(blank=True)
    lights = models.CharField(max_length=5, blank=True)
    theorem = models.CharField(max_length=400, blank=True)
    statement = models.CharField(max_length=64, blank=True)
    axioms = models.TextField(blank=True, help_text="one a line")
    flags = models.TextField(blank=True, help_text="one a line")

    class Meta:
        ordering = ("run", "position")
        constraints = (
            models.UniqueConstraint(fields=("run", "spec"), name="one_outcome_a_spec"),
        )
        indexes = (
            models.Index(fields=("definition", "outcome"), name="outcome_of_spec"),
        )

    def __str__(self) -> str:
        return f"{self.spec}: {self.outcome}"


class CanaryBadge(models.Model):
    """What the canaries did with one grader on one toolchain. Without a green one, nothing of the two publishes."""

    toolchain = models.CharField(max_length=100)
    toolchain_digest = models.CharField(max_length=64)
    grader_digest = models.CharField(max_length=64)
    sandbox = models.CharField(max_length=100, blank=True)
    ok = models.BooleanField()
    cheats = models.PositiveIntegerField()
    honest = models.PositiveIntegerField()
    document = models.TextField(help_text="what `bin/workbench canaries --json` says")
    ran_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("-pk",)
        indexes = (
            models.Index(
                fields=("toolchain_digest", "grader_digest", "-id"), name="badge_of"
            ),
        )

    def __str__(self) -> str:
        return f"canaries of {self.toolchain}: {'green' if self.ok else 'red'}"
