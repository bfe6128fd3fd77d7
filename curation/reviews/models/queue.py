"""The queue: what waits for a reviewer, who has it, and the filters that people keep."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from curation.instances.models import Definition, Instance, Placement


class QueueEntry(models.Model):
    """Where a definition of the current revision stands in the review.

    Derived: written in the transaction of the act that moves it, rebuilt by `bin/workbench rebuild-queue`, and equal
    to what the reviews say. Only the lease and the assignment are its own.
    """

    OPEN, SENT_BACK, APPROVED, EXEMPT = "open", "sent_back", "approved", "exempt"
    STATES = (
        (OPEN, "to review"),
        (SENT_BACK, "sent back"),
        (APPROVED, "approved"),
        (EXEMPT, "needs no review"),
    )

    definition = models.OneToOneField(
        Definition, models.CASCADE, related_name="queue_entry"
    )
    instance = models.ForeignKey(Instance, models.CASCADE, related_name="queue_entries")
    placement = models.OneToOneField(
        Placement, models.CASCADE, related_name="queue_entry"
    )
    kind = models.CharField(max_length=16, choices=Definition.KINDS)
    module = models.CharField(max_length=200, blank=True)
    state = models.CharField(max_length=16, choices=STATES, default=OPEN)
    dropped = models.BooleanField(
        default=False, help_text="it was approved before; a change took that away"
    )
    approvals = models.PositiveSmallIntegerField(default=0)
    needed = models.PositiveSmallIntegerField(default=1)
    skipped = models.BooleanField(
        default=False, help_text="in the second pool: somebody skipped it"
    )
    risk = models.PositiveIntegerField(
        default=0, help_text="higher comes first among those whose uses are settled"
    )
    risk_words = models.CharField(max_length=300, blank=True)
    depth = models.PositiveIntegerField(
        default=0, help_text="longest chain of uses below it: low comes first"
    )
    assignee = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+"
    )
    holder = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="leases"
    )
    lease_token = models.CharField(max_length=32, blank=True)
    leased_until = models.DateTimeField(null=True)
    changed_at = models.DateTimeField(auto_now=True)

    class Meta:
        indexes = (
            models.Index(
                fields=("state", "skipped", "depth", "-risk", "id"), name="queue_order"
            ),
            models.Index(
                fields=("instance", "state", "skipped", "depth", "-risk", "id"),
                name="queue_of_instance",
            ),
            models.Index(fields=("holder", "leased_until"), name="queue_leases"),
            # The list of several states at once walks this one.
            models.Index(fields=("skipped", "depth", "-risk", "id"), name="queue_walk"),
            # The facets are counted from this one alone.
            models.Index(
                fields=(
                    "instance",
                    "state",
                    "kind",
                    "dropped",
                    "skipped",
                    "assignee",
                    "risk",
                ),
                name="queue_facets",
            ),
        )

    def __str__(self) -> str:
        return f"{self.definition}: {self.get_state_display()}"

    @property
    def team_id(self) -> int:
        return self.instance.team_id


class SavedFilter(models.Model):
    """A name for a query string of a list, kept by one person."""

    person = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.CASCADE, related_name="saved_filters"
    )
    page = models.CharField(max_length=32, default="queue")
    name = models.CharField(max_length=80)
    query = models.CharField(max_length=2000)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("page", "name")
        constraints = (
            models.UniqueConstraint(
                fields=("person", "page", "name"), name="one_filter_a_name"
            ),
        )

    def __str__(self) -> str:
        return self.name
