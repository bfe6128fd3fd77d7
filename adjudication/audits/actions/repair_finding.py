"""A repair: a revision that is to settle a finding, and the check that its closures no longer hold there."""

from __future__ import annotations

from django.db import transaction
from django.utils import timezone

from adjudication.audits.actions.settle_finding import Incomplete, locked, words_of
from adjudication.audits.models import Closure, Finding, Repair
from adjudication.audits.states import move
from adjudication.runs.actions.queue_run import queue_run
from adjudication.runs.models import GradingRun
from curation.instances.models import Revision
from workbench.access.models import User
from workbench.access.rights import AccessDenied, require
from workbench.access.roles import ADJUDICATE
from workbench.events.log import record


@transaction.atomic
def link_repair(user: User, finding: Finding, revision: Revision) -> Repair:
    """Return the repair of `finding` by `revision`, with the check of its closures queued.

    A confirmed finding becomes “repair drafted”; another revision for one that is there already replaces the draft.
    Raises `AccessDenied`, `WrongMove`, `Incomplete`.
    """
    require(user, ADJUDICATE, finding.instance)
    found = locked(finding)
    if revision.instance_id != found.instance_id:
        raise Incomplete(f"{revision} is no revision of {found.instance}.")
    newest = max(
        (c.revision.number for c in found.closures.select_related("revision")),
        default=0,
    )
    if revision.number <= newest:
        raise Incomplete(
            f"r{revision.number} is not newer than r{newest}, on which the closure was found."
        )
    known = found.repairs.filter(revision=revision).first()
    if known is not None:
        return known
    if found.state != Finding.REPAIR_DRAFTED:
        move(
            found,
            Finding.REPAIR_DRAFTED,
            user,
            reason=f"r{revision.number} is to repair it",
        )
    repair = Repair.objects.create(finding=found, revision=revision, by=user)
    runs = [
        queue_run(
            user, closure.run.submission, revision=revision, purpose=GradingRun.RECHECK
        )
        for closure in _one_a_submission(found)
        if closure.run is not None
    ]
    if runs:
        repair.job = runs[0].job
        repair.save(update_fields=["job"])
    record("repair.linked", user, found, revision=revision.number, checks=len(runs))
    return repair


def _one_a_submission(finding: Finding) -> list[Closure]:
    closures = finding.closures.exclude(run=None).select_related("run__submission")
    return list({c.run.submission_id: c for c in closures if c.run}.values())


def settle_repairs(run: GradingRun) -> None:
    """Write what a recheck found into the repairs that wait for it; what holds moves the finding on. Follows each run."""
    if run.purpose != GradingRun.RECHECK:
        return
    repairs = Repair.objects.select_for_update(of=("self",), no_key=True).filter(
        revision=run.revision_id, holds=None
    )
    for repair in repairs.select_related("finding"):
        finding = locked(repair.finding)
        verdicts = [
            _still_checks(closure, repair.revision)
            for closure in _one_a_submission(finding)
        ]
        if None in verdicts:
            continue  # others are still being graded
        still = [words for words in verdicts if words]
        repair.holds = not still
        repair.checked_at = timezone.now()
        repair.words = (
            "; ".join(still)
            or f"none of its {len(verdicts)} closures checks on r{repair.revision.number}"
        )
        repair.save(update_fields=["holds", "checked_at", "words"])
        _move(finding, repair)
        record(
            "repair.checked",
            None,
            finding,
            implicit=True,
            holds=repair.holds,
            revision=repair.revision.number,
        )


def _move(finding: Finding, repair: Repair) -> None:
    if finding.state != Finding.REPAIR_DRAFTED:
        return
    if not repair.holds:
        move(finding, Finding.CONFIRMED, None, reason=repair.words)
        return
    move(finding, Finding.REPAIRED, None, reason=repair.words)


def _still_checks(closure: Closure, revision: Revision) -> str | None:
    """Return "" where the closure of a submission no longer holds on `revision`, in words where it does, None while unknown.

    Only an answer counts: a run that was declined or whose replay is missing says nothing.
    """
    assert closure.run is not None
    runs = GradingRun.objects.filter(
        submission=closure.run.submission_id,
        revision=revision,
        purpose=GradingRun.RECHECK,
    )
    run = runs.ended().first()
    if run is None:
        return None
    ids = list(closure.specs.values_list("pk", flat=True))
    outcomes = run.outcomes.filter(definition__in=ids)
    if any(outcome.outcome in ("declined", "unconfirmed") for outcome in outcomes):
        return f"{closure.theorem} could not be checked on r{revision.number}"
    if outcomes.filter(outcome="passed", route=closure.route).exists():
        return f"{closure.theorem} still checks on r{revision.number}"
    return ""


@transaction.atomic
def verify_repair(user: User, finding: Finding, *, reason: str) -> Finding:
    """Return `finding`, its repair looked at by a person who did not make it. Raises `AccessDenied`, `WrongMove`, `Incomplete`."""
    require(user, ADJUDICATE, finding.instance)
    reason = words_of(reason, "what you looked at")
    found = locked(finding)
    repair = found.repairs.filter(holds=True).first()
    if repair is not None and user.pk in (repair.by_id, repair.revision.author_id):
        raise AccessDenied("Somebody else has to verify what you repaired.")
    move(found, Finding.VERIFIED, user, reason=reason)
    record("finding.verified", user, found, reason=reason)
    return found
