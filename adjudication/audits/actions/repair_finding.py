"""A repair: a revision that is to settle a finding, and the check that its closures no longer hold there."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from django.db import transaction
from django.utils import timezone

from adjudication.audits.actions.settle_finding import Incomplete, locked, words_of
from adjudication.audits.grouping import JOINT
from adjudication.audits.models import Closure, Finding, Repair, TurningPoint
from adjudication.audits.states import MENDED, REOPENED, WrongMove, move
from adjudication.runs.actions.queue_run import queue_run
from adjudication.runs.models import GradingRun
from curation.instances.models import Revision
from workbench.access.models import User
from workbench.access.rights import AccessDenied, require
from workbench.access.roles import ADJUDICATE
from workbench.events.log import record
from workbench.upkeep.disk import NoRoom

BY_HAND = "by_hand"


@transaction.atomic
def link_repair(user: User, finding: Finding, revision: Revision) -> Repair:
    """Return the repair of `finding` by `revision`, with the check of its closures queued.

    A confirmed finding becomes “repair drafted”; another revision for one that is there already replaces the draft, and
    the same revision is checked again unless a check of it is under way. Raises `AccessDenied`, `WrongMove`, `Incomplete`.
    """
    require(user, ADJUDICATE, finding.instance)
    found = locked(finding)
    if revision.instance_id != found.instance_id:
        raise Incomplete(f"{revision} is no revision of {found.instance}.")
    closures = list(found.closures.select_related("revision", "run__submission"))
    newest = max((closure.revision.number for closure in closures), default=0)
    if revision.number <= newest:
        raise Incomplete(
            f"r{revision.number} is not newer than r{newest}, on which the closure was found."
        )
    submissions = {c.run.submission_id: c.run.submission for c in closures if c.run}
    known = found.repairs.first()
    if (
        known is not None
        and known.revision_id == revision.pk
        and found.state == Finding.REPAIR_DRAFTED
        and (_under_way(known) or not submissions)
    ):
        return known  # pressed twice
    if found.state != Finding.REPAIR_DRAFTED:
        move(
            found,
            Finding.REPAIR_DRAFTED,
            user,
            reason=f"r{revision.number} is to repair it",
        )
    repair = Repair.objects.create(finding=found, revision=revision, by=user)
    runs = [
        queue_run(user, submission, revision=revision, purpose=GradingRun.RECHECK)
        for _, submission in sorted(submissions.items())
    ]
    if runs:
        repair.job = runs[0].job
        repair.save(update_fields=["job"])
    record("repair.linked", user, found, revision=revision.number, checks=len(runs))
    return repair


def recheck_runs(repair: Repair) -> list[GradingRun]:
    """Return the newest check of each submission on the revision of `repair`. One query."""
    runs = GradingRun.objects.filter(
        revision=repair.revision_id,
        purpose=GradingRun.RECHECK,
        submission__runs__closures__finding=repair.finding_id,
    )
    newest: dict[int, GradingRun] = {}
    for run in runs.select_related("job").order_by("pk"):
        newest[run.submission_id] = run
    return list(newest.values())


def _under_way(repair: Repair) -> bool:
    return any(not run.done and run.state in ("queued", "running") for run in recheck_runs(repair))  # fmt: skip


def check_joined(finding: Finding, closure: Closure) -> None:
    """Have a closure that joined `finding` checked on its newest repair too. Part of an act that holds the instance.

    A repair was checked without it, so it says nothing about it yet.
    """
    repair = finding.repairs.select_related("revision").first()
    waits = finding.state == Finding.REPAIR_DRAFTED
    if repair is None or closure.run is None or not (waits or finding.state in MENDED):
        return
    if closure.revision.number >= repair.revision.number:
        _settle(repair, finding)  # it was found on the repair, or on something newer
        return
    if any(run.submission_id == closure.run.submission_id for run in recheck_runs(repair)):  # fmt: skip
        _settle(repair, finding)
        return
    try:
        queue_run(
            None,
            closure.run.submission,
            revision=repair.revision,
            purpose=GradingRun.RECHECK,
        )
    except NoRoom as error:
        _back(finding, f"{closure.theorem} joined and cannot be checked: {error}")


def settle_repairs(run: GradingRun) -> None:
    """Write what a recheck found into the repairs that it is about; what holds moves the finding on. Follows each run."""
    if run.purpose != GradingRun.RECHECK:
        return
    about = Repair.objects.filter(
        revision=run.revision_id,
        finding__closures__run__submission=run.submission_id,
    )
    repairs = Repair.objects.select_for_update(of=("self",), no_key=True).filter(
        pk__in=about.values("pk")
    )
    for repair in repairs.select_related("finding", "revision").order_by("pk"):
        finding = locked(repair.finding)
        if finding.repairs.values_list("pk", flat=True).first() == repair.pk:
            _settle(repair, finding)


def _settle(repair: Repair, finding: Finding) -> None:
    """Write what is known about a repair, and move its finding accordingly."""
    closures = finding.closures.exclude(run=None).select_related("run", "revision")
    checks = [_check(closure, repair.revision) for closure in closures.order_by("pk")]
    still = [check.words for check in checks if check.holds]
    if still:
        _write(repair, finding, False, "; ".join(still))
        _back(finding, repair.words)
    elif any(check.holds is None for check in checks):
        gone = "; ".join(check.words for check in checks if check.words)
        if gone and gone != repair.words:
            repair.words = gone
            repair.save(update_fields=["words"])
    elif checks:
        counts = Counter(check.words for check in checks)
        told = ", ".join(
            f"{words} {number}" for words, number in sorted(counts.items())
        )
        number = repair.revision.number
        words = f"none of its {len(checks)} closures checks on r{number} ({told})"
        claims = finding.closures.filter(run=None).count()
        if claims:
            words += f"; {claims} claimed by hand, which no machine checks"
        _write(repair, finding, True, words)
        if finding.state == Finding.REPAIR_DRAFTED:
            move(finding, Finding.REPAIRED, None, reason=words)


def _write(repair: Repair, finding: Finding, holds: bool, words: str) -> None:
    if (repair.holds, repair.words) == (holds, words):
        return
    repair.holds, repair.words = holds, words
    repair.checked_at = timezone.now()
    repair.save(update_fields=["holds", "checked_at", "words"])
    record(
        "repair.checked",
        None,
        finding,
        implicit=True,
        holds=holds,
        revision=repair.revision.number,
    )


def _back(finding: Finding, reason: str) -> None:
    """Confirm a finding again whose repair does not hold."""
    if finding.state == Finding.REPAIR_DRAFTED:
        move(finding, Finding.CONFIRMED, None, reason=reason)
    elif finding.state in MENDED:
        move(finding, REOPENED[finding.state], None, reason=reason)
        record("finding.reopened", None, finding, implicit=True)


@dataclass(frozen=True)
class _Check:
    """Whether a closure holds on a revision, None while unknown, and in words what is known."""

    holds: bool | None
    words: str


def _check(closure: Closure, revision: Revision) -> _Check:
    """Return what is known about a closure of a run on `revision`.

    Only an answer counts: a run that was declined or whose replay is missing says nothing, and so holds nothing up.
    """
    number = revision.number
    if closure.revision.number >= number:
        return _Check(
            True, f"{closure.theorem} still checks on r{closure.revision.number}"
        )
    assert closure.run is not None
    runs = GradingRun.objects.filter(
        submission=closure.run.submission_id,
        revision=revision,
        purpose=GradingRun.RECHECK,
    )
    run = runs.order_by("-pk").first()
    if run is None or not run.done:
        return _Check(None, "")
    specs = {spec.pk: spec.short_name for spec in closure.specs.all()}
    outcomes = list(run.outcomes.filter(definition__in=specs))
    missing = sorted(specs.keys() - {outcome.definition_id for outcome in outcomes})
    if missing:
        names = ", ".join(specs[pk] for pk in missing)
        return _Check(
            None,
            f"{names} is not in r{number}: nothing was checked, so a person has to say whether that repairs it",
        )
    if any(outcome.outcome in ("declined", "unconfirmed") for outcome in outcomes):
        return _Check(True, f"{closure.theorem} could not be checked on r{number}")
    route = "sat+joint" if closure.route == JOINT else closure.route
    if all(one.outcome == "passed" and one.route == route for one in outcomes):
        return _Check(True, f"{closure.theorem} still checks on r{number}")
    return _Check(False, _outcome_words([outcome.outcome for outcome in outcomes]))


def _outcome_words(outcomes: Sequence[str]) -> str:
    return ", ".join(sorted({word.replace("_", " ") for word in outcomes} - {"passed"})) or "another route"  # fmt: skip


@transaction.atomic
def declare_repaired(user: User, finding: Finding, *, reason: str) -> Finding:
    """Return `finding`, repaired as a person says where no machine can: a claim without a proof, or a spec that is gone.

    Nothing counts it as checked: `holds` of its repair stays None. Raises `AccessDenied`, `WrongMove`, `Incomplete`.
    """
    require(user, ADJUDICATE, finding.instance)
    reason = words_of(reason, "what you looked at")
    found = locked(finding)
    repair = found.repairs.select_related("revision").first()
    if repair is None or found.state != Finding.REPAIR_DRAFTED:
        raise WrongMove(f"{found} has no drafted repair.")
    if made_by(user, repair):
        raise AccessDenied(
            "Somebody else has to say that what you repaired is repaired."
        )
    checkable = found.closures.exclude(run=None).exists() and not repair.words
    if checkable or _under_way(repair):
        raise WrongMove(
            f"{found} has closures that can be checked; wait for the check."
        )
    move(found, Finding.REPAIRED, user, reason=reason, code=BY_HAND)
    record(
        "repair.declared", user, found, reason=reason, revision=repair.revision.number
    )
    return found


def made_by(user: User, repair: Repair | None) -> bool:
    """Return whether `user` named the repair or wrote its revision: somebody else has the last word on it."""
    return repair is not None and user.pk in (repair.by_id, repair.revision.author_id)


def why_not_verify(user: User, repair: Repair | None, last: TurningPoint | None) -> str:
    """Return why `user` may not verify the newest `repair` of a finding, whose `last` turning point that is; "" if they may."""
    if made_by(user, repair):
        return "Somebody else has to verify what you repaired."
    if last is not None and last.code == BY_HAND and last.by_id == user.pk:
        return "Somebody else has to verify what you declared repaired."
    return ""


@transaction.atomic
def verify_repair(user: User, finding: Finding, *, reason: str) -> Finding:
    """Return `finding`, its repair looked at by a person who did not make it. Raises `AccessDenied`, `WrongMove`, `Incomplete`."""
    require(user, ADJUDICATE, finding.instance)
    reason = words_of(reason, "what you looked at")
    found = locked(finding)
    why_not = why_not_verify(
        user,
        found.repairs.select_related("revision").first(),
        found.turning_points.order_by("-pk").first(),
    )
    if why_not:
        raise AccessDenied(why_not)
    move(found, Finding.VERIFIED, user, reason=reason)
    record("finding.verified", user, found, reason=reason)
    return found
