"""What submissions and runs add to the frame."""

from __future__ import annotations

from django.db.models import QuerySet
from django.urls import reverse

from adjudication.runs import jobs as jobs  # declares them
from adjudication.runs import machine as machine  # offers what this machine can grade
from adjudication.runs.models import GradingRun, Submission
from curation.instances.models import Instance
from workbench.access.objects import Kind, kinds
from workbench.access.rights import Person


def register() -> None:
    """Add everything. Called once, when the app starts."""
    kinds.add(
        Kind("gradingrun", lambda pk: reverse("runs:detail", args=[pk]), visible_runs),
    )


def visible_runs(user: Person) -> QuerySet[GradingRun]:
    """Return the runs of the instances that `user` may see."""
    seen = Instance.objects.visible_to(user)
    return GradingRun.objects.filter(instance__in=seen)


__all__ = ["GradingRun", "Submission", "register", "visible_runs"]
