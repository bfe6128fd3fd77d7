"""Queue a grading run of a submission."""

from __future__ import annotations

from django.db import transaction

from adjudication.runs.machine import needs_of
from adjudication.runs.models import Adaptation, GradingRun, RegradeSet, Submission
from curation.instances.locks import hold_instances
from curation.instances.models import Revision
from workbench.access.models import User
from workbench.events.log import record
from workbench.jobs import submit


@transaction.atomic
def queue_run(
    user: User | None,
    submission: Submission,
    *,
    revision: Revision | None = None,
    regrade_set: RegradeSet | None = None,
    purpose: str = GradingRun.GRADING,
    adaptation: Adaptation | None = None,
) -> GradingRun:
    """Return a new run of `submission`, its job queued. `revision` is what it is graded against: its own without one.

    `adaptation` (of that revision) is built instead of the revision's own files.

    The caller has checked the right.
    """
    hold_instances([submission.instance_id])
    locked = Submission.objects.select_for_update(no_key=True).get(pk=submission.pk)
    current = locked.runs.filter(is_current=True).first()
    against = revision or locked.revision
    run = GradingRun.objects.create(
        submission=locked,
        instance=locked.instance,
        revision=against,
        number=locked.runs.count() + 1,
        regrade_set=regrade_set,
        purpose=purpose,
        adaptation=adaptation,
        replaces=current,
    )
    job = submit(
        "grade",
        key=f"grade:{run.pk}",
        owner=user,
        team=locked.team,
        about=run,
        args={"run_id": run.pk},
        needs=needs_of(against, adaptation),
        # Somebody waits for a first grading; a set of re-grades can wait.
        priority=None if purpose == GradingRun.GRADING else -10,
    )
    GradingRun.objects.filter(pk=run.pk).update(job=job)
    run.job = job
    record("run.queued", user, run, purpose=purpose)
    return run
