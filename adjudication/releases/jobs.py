"""Background jobs of releases."""

from __future__ import annotations

from adjudication.releases.actions.build_release import keep_built
from adjudication.releases.building import NotKept, build_archive, check
from adjudication.releases.gate import number, standing
from adjudication.releases.models import Release
from workbench.jobs import JobFailed, JobRun, declare
from workbench.ui.templatetags.ui import plural


@declare("build-release", title="Build release", queue="exports", limit_s=3600)
def build_release(job: JobRun, *, release_id: int) -> None:
    """Build the archive of a release and check it as whoever gets it will; built again, it must come out the same."""
    release = Release.objects.select_related("set__team", "previous", "by").get(
        pk=release_id
    )
    blocking = standing(release) if release.state == Release.DRAFT else []
    if blocking:
        first = blocking[0]
        raise JobFailed(
            f"{plural(number(blocking), 'blocker')} open, the first: {first.revision}: {first.blocker.what}"
        )
    before = release.builds
    try:
        built = build_archive(release, job.scratch() / "release.tar.gz", job.progress)
        job.log(f"{built.size:,} bytes, SHA-256 {built.digest}")
        check(built)
        job.log("every file, tree and receipt in it was checked offline")
        with job.finishing() as finish:
            kept = keep_built(job.job.owner, release, built)
            same = ", the same bytes as before" if before else ""
            finish(
                result={"digest": built.digest, "size": built.size},
                summary=f"{plural(len(built.manifest['instances']), 'instance')}, {built.size:,} bytes{same}",
                link=kept.get_absolute_url(),
            )
    except NotKept as error:
        raise JobFailed(str(error)) from None
