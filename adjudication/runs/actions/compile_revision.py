"""Have the files of a revision compiled, so that approvals can be bound to what its definitions compile to."""

from __future__ import annotations

from adjudication.runs.machine import needs_of
from curation.instances.models import Revision
from workbench.access.models import User
from workbench.access.rights import require
from workbench.access.roles import CURATE
from workbench.jobs import submit
from workbench.jobs.models import Job


def compile_revision(user: User, revision: Revision) -> Job:
    """Return the job that compiles `revision`: one that waits or runs already, else a new one. Raises `AccessDenied`."""
    require(user, CURATE, revision.instance)
    earlier = Job.objects.filter(
        name="compile", key__startswith=f"compile:{revision.pk}:"
    )
    under_way = earlier.filter(state__in=Job.OPEN).first()
    if under_way is not None:
        return under_way
    return submit(
        "compile",
        key=f"compile:{revision.pk}:{earlier.count() + 1}",
        owner=user,
        team=revision.instance.team,
        about=revision,
        args={"revision_id": revision.pk},
        needs=needs_of(revision),
    )
