"""Which submissions and runs a person may see: those of the instances in their sight."""

from __future__ import annotations

from django.db.models import QuerySet

from adjudication.runs.models import GradingRun, RegradeSet, Submission
from adjudication.runs.models.run import RunQuerySet
from curation.instances.models import Instance
from workbench.access.rights import Person, sight


def visible_runs(user: Person) -> RunQuerySet:
    """Return the runs of the instances that `user` may see, those of retired submissions too: lists leave them out."""
    seen = Instance.objects.visible_to(user)
    return GradingRun.objects.filter(instance__in=seen)


def visible_submissions(user: Person) -> QuerySet[Submission]:
    """Return the submissions to the instances that `user` may see, retired ones too: lists leave them out."""
    seen = Instance.objects.visible_to(user)
    return Submission.objects.filter(instance__in=seen)


def visible_sets(user: Person) -> QuerySet[RegradeSet]:
    """Return the regrade sets of the teams that `user` belongs to."""
    return RegradeSet.objects.filter(sight(user))
