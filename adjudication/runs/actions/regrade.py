"""Sets of re-grades: grade chosen submissions again beside the current results, then apply or cancel as one act."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from django.db import transaction
from django.utils import timezone

from adjudication.runs.actions.publish_run import make_current
from adjudication.runs.actions.queue_run import queue_run
from adjudication.runs.models import GradingRun, RegradeSet
from curation.instances.locks import hold_instances
from workbench.access.models import Team, User
from workbench.access.rights import AccessDenied, allowed, require
from workbench.access.roles import MAINTAIN, SUBMIT
from workbench.events.log import record
from workbench.jobs.actions import WrongState as JobEnded
from workbench.jobs.actions import cancel

MOST = 5_000


class WrongState(Exception):
    """The set is not in a state in which that can be done. The text says in which it is."""


class NothingChosen(Exception):
    """The filter chooses no run, or too many. The text says how many."""


@dataclass(frozen=True)
class Applied:
    """What applying did: runs that became current, and those without a verdict or of what was retired, whose old result stays."""

    current: int
    left: int


@transaction.atomic
def make_regrade_set(
    user: User | None,
    team: Team,
    runs: Iterable[GradingRun],
    *,
    title: str,
    reason: str,
    query: str = "",
    on_current_revision: bool = False,
    key: str,
) -> RegradeSet:
    """Return the set that grades the submissions of `runs` (current ones of `team`) again, its jobs queued.

    The same `key` gives the same set; `user` None is the operator. Raises `AccessDenied`, `NothingChosen`.
    """
    if user is not None:
        require(user, MAINTAIN, team)
    known = RegradeSet.objects.filter(key=key).first()
    if known is not None:
        return known
    chosen = [run for run in runs if run.submission.team_id == team.pk]
    if not 0 < len(chosen) <= MOST:
        raise NothingChosen(
            f"The filter chooses {len(chosen):,} runs; expected 1 to {MOST:,}."
        )
    hold_instances(run.instance_id for run in chosen)
    made = RegradeSet.objects.create(
        team=team,
        owner=user,
        title=title[:200],
        reason=reason,
        query=query[:2000],
        on_current_revision=on_current_revision,
        key=key,
    )
    for run in chosen:
        revision, adaptation = run.revision, run.adaptation
        if on_current_revision:
            revision, adaptation = run.instance.revisions.get(is_current=True), None
        queue_run(
            user,
            run.submission,
            revision=revision,
            regrade_set=made,
            purpose=GradingRun.REGRADE,
            adaptation=adaptation,
        )
    record("regrade.made", user, made, runs=len(chosen), reason=reason)
    return made


@transaction.atomic
def apply_regrade_set(user: User | None, found: RegradeSet) -> Applied:
    """Return what making all runs of the set current did, in one transaction; standings follow. Twice does it once.

    Refused while any of its runs is under way; `user` None is the operator. Raises `AccessDenied`, `WrongState`.
    """
    if user is not None:
        _require(user, found)
    locked = RegradeSet.objects.select_for_update(no_key=True).get(pk=found.pk)
    hold_instances(locked.runs.values_list("instance", flat=True))
    runs = locked.runs.select_related("submission", "revision", "instance")
    done = list(runs.ended().shown().order_by("pk"))
    if locked.state == RegradeSet.APPLIED:
        return Applied(len(done), locked.runs.count() - len(done))
    if locked.state == RegradeSet.CANCELLED:
        raise WrongState(f"{locked} was cancelled.")
    waiting = locked.runs.under_way().count()
    if waiting:
        raise WrongState(f"{waiting} runs of {locked} are still under way.")
    if not done:
        retired = locked.runs.count() - locked.runs.shown().count()
        why = f": {retired} of its submissions were retired" if retired else ""
        raise WrongState(f"No run of {locked} has a verdict that may count{why}.")
    for run in done:
        make_current(run)
    locked.state = RegradeSet.APPLIED
    locked.closed_at = timezone.now()
    locked.save(update_fields=["state", "closed_at"])
    left = locked.runs.count() - len(done)
    record("regrade.applied", user, locked, runs=len(done), left=left)
    return Applied(len(done), left)


def cancel_regrade_set(user: User, found: RegradeSet) -> RegradeSet:
    """Return the set, cancelled: its jobs stop, its results never count. Raises `AccessDenied`, `WrongState`."""
    _require(user, found)
    with transaction.atomic():
        locked = RegradeSet.objects.select_for_update(no_key=True).get(pk=found.pk)
        if locked.state == RegradeSet.CANCELLED:
            return locked
        if locked.state == RegradeSet.APPLIED:
            raise WrongState(f"{locked} was applied; make a new set instead.")
        locked.state = RegradeSet.CANCELLED
        locked.closed_at = timezone.now()
        locked.save(update_fields=["state", "closed_at"])
        record("regrade.cancelled", user, locked)
    for run in locked.runs.under_way().select_related("job"):
        if run.job is not None:
            try:
                cancel(user, run.job)
            except JobEnded:
                continue  # it ended just now; its result does not count
    return locked


def may_settle(user: User, found: RegradeSet) -> bool:
    """Whoever made the set may settle it while they may submit; others need the right to maintain."""
    if found.owner_id == user.pk and allowed(user, SUBMIT, found.team):
        return True
    return allowed(user, MAINTAIN, found.team)


def _require(user: User, found: RegradeSet) -> None:
    if not may_settle(user, found):
        raise AccessDenied(
            "Only who made a regrade set, or a maintainer, may settle it."
        )
