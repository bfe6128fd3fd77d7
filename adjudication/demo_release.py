"""The demo's releases: a pilot that is out, and a draft of the whole set at whose gate the team stands.

Nothing of it is painted. The canaries are tried by a worker; only if they are green is the pilot published, and otherwise it
stays built and its page says why. Its verdicts come from pocket Lean, so the release calls them no scores.
"""

from __future__ import annotations

import time
from uuid import uuid4

from adjudication.releases.actions.build_release import keep_built
from adjudication.releases.actions.freeze_release import BadRelease, freeze_release
from adjudication.releases.actions.publish_release import publish_release
from adjudication.releases.actions.waive_blocker import waive
from adjudication.releases.building import NotKept, build_archive, check
from adjudication.releases.gate import standing
from adjudication.releases.models import Release
from adjudication.runs.models import GradingRun
from adjudication.standings.actions.make_set import make_set
from adjudication.standings.models import InstanceSet
from curation.instances.models import Instance
from workbench.access.models import Team, User
from workbench.events.correlation import correlated
from workbench.jobs import JobFailed, JobRun, declare, submit
from workbench.jobs.models import Job

PILOT, HELD = "Pilot", ("abacus",)
_WAIT_S, _PAUSE_S = 1200, 2.0
_NOT_BUILT = "not built"
_REASONS = {
    _NOT_BUILT: "The pilot is for trying the pipeline; what of it no grading builds is compiled for the next release.",
    "not reviewed": "The pilot goes to two teams who try the pipeline. No score of it is published.",
    "audit": "The adjudicators have it in their queue and both teams know; the next release waits for the ruling.",
}
_OTHERWISE = "Known and harmless for the pilot; the next release settles it."


def queue_release(team: Team, noor: User, whole: InstanceSet, priority: int) -> None:
    """Freeze a draft of `whole` with one signature, try the canaries, then release the pilot: at `priority` and below."""
    with correlated(uuid4()):
        draft = freeze_release(
            noor, whole, "0.9", note="All that the demo holds, on its way out."
        )
    blocking = [one for one in standing(draft) if one.blocker.kind == _NOT_BUILT]
    if blocking:
        with correlated(uuid4()):
            waive(
                noor,
                draft,
                blocking[0].key,
                [one.revision.pk for one in blocking],
                "The gradings under way build them; this draft is not published before.",
            )
    canaries = submit(
        "canaries",
        owner=noor,
        team=team,
        key=f"demo-canaries:{team.pk}",
        priority=priority,
    )
    submit(
        "demo-release",
        owner=noor,
        team=team,
        args={"team_id": team.pk, "canaries_id": canaries.pk},
        key=f"demo-release:{team.pk}",
        priority=priority - 1,
    )


@declare(
    "demo-release", title="Release the demo's pilot", queue="grading", limit_s=1800
)
def demo_release(job: JobRun, *, team_id: int, canaries_id: int) -> None:
    """Freeze the pilot when the gradings are through, sign, build twice, and publish it if its canaries are green."""
    _wait(job, team_id, canaries_id)
    noor = User.objects.get(username="noor")
    release = _frozen(noor, Team.objects.get(pk=team_id))
    try:
        for number in (1, 2):
            built = build_archive(
                release, job.scratch() / f"{number}.tar.gz", job.progress
            )
            check(built)
            with correlated(uuid4()):
                release = keep_built(noor, release, built)
    except NotKept as error:
        raise JobFailed(str(error)) from None
    try:
        with correlated(uuid4()):
            release = publish_release(noor, release)
        said = "published"
    except BadRelease as error:
        said = f"built, not published: {error}"
    with job.finishing() as finish:
        finish(
            result={"release": str(release), "state": release.state},
            summary=said[:300],
            link=release.get_absolute_url(),
        )


def _wait(job: JobRun, team_id: int, canaries_id: int) -> None:
    """Wait for the team's gradings and the canaries: a worker that runs several jobs at once gets here before their end."""
    gradings = GradingRun.objects.under_way().filter(submission__team=team_id)
    canaries = Job.objects.filter(pk=canaries_id, state__in=Job.OPEN)
    for _ in range(int(_WAIT_S / _PAUSE_S)):
        left = gradings.count() + canaries.count()
        if not left:
            return
        job.progress(0, 0, f"waiting for {left} gradings and canaries")
        time.sleep(_PAUSE_S)


def _frozen(noor: User, team: Team) -> Release:
    """Return the pilot's draft, everything at its gate signed for; the one that an attempt before this made, if any."""
    pilot = InstanceSet.objects.filter(team=team, name=PILOT).first()
    if pilot is None:
        held = Instance.objects.filter(team=team, slug__in=HELD)
        with correlated(uuid4()):
            pilot = make_set(noor, team, PILOT, held)
    release = pilot.releases.first()
    if release is None:
        with correlated(uuid4()):
            release = freeze_release(
                noor, pilot, "1.0", note="One instance, for trying the pipeline."
            )
    if release.state == Release.DRAFT:
        for one in standing(release):
            reason = _REASONS.get(one.blocker.kind, _OTHERWISE)
            with correlated(uuid4()):
                waive(noor, release, one.key, [one.revision.pk], reason)
    return release
