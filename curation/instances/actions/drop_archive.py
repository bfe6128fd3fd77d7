"""Take an uploaded archive and submit its import as a job."""

from __future__ import annotations

import hashlib

from django.db import transaction

from curation.instances.models import Upload
from workbench.access.models import Team, User
from workbench.access.rights import require
from workbench.access.roles import CURATE
from workbench.jobs import submit
from workbench.jobs.models import Job


@transaction.atomic
def drop_archive(
    user: User,
    team: Team,
    archive: tuple[str, bytes],
    source: tuple[str, bytes] | None,
    *,
    form_key: str,
) -> Job:
    """Return the job that imports `archive` (name, bytes), with upstream files from `source` where given.

    `form_key` is the id of the form that was posted: the same form with the same bytes gives the same job, so a
    double click imports once. Raises `AccessDenied`.
    """
    require(user, CURATE, team)
    digest = hashlib.sha256(
        archive[1] + b"\0" + (source[1] if source else b"")
    ).hexdigest()
    key = f"import:{team.pk}:{user.pk}:{form_key}:{digest}"
    before = Job.objects.filter(key=key).first()
    if before is not None:
        return before
    kept = Upload.objects.create(name=archive[0][:255], data=archive[1], owner=user)
    upstream = (
        Upload.objects.create(name=source[0][:255], data=source[1], owner=user)
        if source
        else None
    )
    job: Job = submit(
        "import-archive",
        key=key,
        owner=user,
        team=team,
        args={
            "archive": kept.name,
            "source": upstream.name if upstream else "",
            "_upload": str(kept.pk),
            "_source_upload": str(upstream.pk) if upstream else "",
            "_team": team.pk,
            "_user": user.pk,
        },
    )
    if job.arguments["_upload"] != str(kept.pk):
        # The same form came twice at once: the job of the other one has its own bytes.
        ours = [one.pk for one in (kept, upstream) if one is not None]
        Upload.objects.filter(pk__in=ours).delete()
    return job
