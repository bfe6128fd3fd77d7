"""Background jobs of releases."""

from __future__ import annotations

from django.urls import reverse

from adjudication.releases.building import build_archive, keep, place_of
from adjudication.releases.gate import standing
from adjudication.releases.models import Release
from workbench.events.log import record
from workbench.jobs import JobFailed, JobRun, declare
from workbench.ui.templatetags.ui import plural


@declare("build-release", title="Build release", queue="exports", limit_s=3600)
def build_release(job: JobRun, *, release_id: int) -> None:
    """Build the archive of a release; built again, it must come out the same."""
    release = Release.objects.select_related("set__team", "previous", "by").get(
        pk=release_id
    )
    blocking = standing(release)
    if blocking and release.state == Release.DRAFT:
        first = blocking[0]
        raise JobFailed(
            f"{plural(len(blocking), 'blocker')} open, the first: {first.revision}: {first.blocker.what}"
        )
    built = build_archive(release, place_of(release), job.progress)
    if release.archive_digest and release.archive_digest != built.digest:
        raise JobFailed(
            f"{release} came out differently: {built.digest[:12]}, before {release.archive_digest[:12]}."
        )
    with job.finishing() as finish:
        locked = Release.objects.select_for_update().get(pk=release.pk)
        keep(locked, built)
        record(
            "release.built", release.by, locked, archive=built.digest, size=built.size
        )
        finish(
            result={"digest": built.digest, "size": built.size},
            summary=f"{len(built.manifest['instances'])} instances, {built.size:,} bytes",
            link=reverse("releases:detail", args=[release.set.slug, release.version]),
        )
