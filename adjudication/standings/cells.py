"""Keep verified cells equal to the current outcomes. Rule: standings.md, "Scale to plan for".

A cell of a set holds the run that the set's policy chooses among the current runs of a configuration on the member's
instance in one mode: the one with most specs passed, or the newest; among equals the newest. Runs on an older revision
than others of the same place count only while none on a newer one is there. Hidden submissions never count, nor what was
graded on an adaptation.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import Any

from django.db import transaction
from django.db.models import Count

from adjudication.runs.models import GradingRun, Outcome, Submission
from adjudication.standings.models import Cell, InstanceSet, SetMember
from curation.instances.locks import hold_instances
from curation.instances.models import Revision
from workbench.access.models import User
from workbench.events.log import record

_BATCH = 500


def refresh_cells(run: GradingRun) -> None:
    """Bring the cells of `run`'s place up to date in every set that holds its instance. A consequence of a run."""
    refresh_place(run.submission)


def refresh_place(submission: Submission) -> None:
    """Bring the cells of `submission`'s place up to date in every set that holds its instance. Follows its retirement."""
    members = SetMember.objects.filter(instance=submission.instance_id).select_related(
        "set"
    )
    held = members.select_for_update(of=("self",), no_key=True)
    for member in held.order_by("pk"):
        chosen = _chosen(
            member.set,
            submission.instance_id,
            submission.configuration_id,
            submission.mode,
        )
        _write(member, submission.configuration_id, submission.mode, chosen)


def _chosen(
    found: InstanceSet, instance: int, configuration: int, mode: str
) -> GradingRun | None:
    runs = GradingRun.objects.counting().filter(
        instance=instance,
        submission__configuration=configuration,
        submission__mode=mode,
    )
    return (
        runs.order_by(*_order(found)).select_related("submission", "revision").first()
    )


def _order(found: InstanceSet) -> tuple[str, ...]:
    if found.choice == InstanceSet.LATEST:
        return ("-revision__number", "-submission_id")
    return ("-revision__number", "-passed_count", "-submission_id")


def _write(
    member: SetMember, configuration: int, mode: str, run: GradingRun | None
) -> None:
    """Write a cell. Where it says something else now, an event of the set tells it: open boards follow by that."""
    place: dict[str, Any] = {
        "member": member,
        "configuration_id": configuration,
        "mode": mode,
        "basis": Cell.VERIFIED,
    }
    before = Cell.objects.filter(**place).first()
    if run is None:
        if before is not None:
            before.delete()
            _moved(member, before, None)
        return
    columns = _columns(member, run, failures_of([run.pk]).get(run.pk, ""))
    after, _ = Cell.objects.update_or_create(**place, defaults=columns)
    if before is None or _shown(before) != _shown(after):
        _moved(member, before, after)


def _shown(cell: Cell) -> tuple[Any, ...]:
    return (cell.run_id, cell.passed, cell.specs, cell.failures, cell.settings_digest)


def _moved(member: SetMember, before: Cell | None, after: Cell | None) -> None:
    cell = after or before
    assert cell is not None
    record(
        "board.moved",
        None,
        member.set,
        implicit=True,
        member=member.name,
        configuration=str(cell.configuration),
        mode=cell.mode,
        before=_words(before),
        after=_words(after),
    )


def _words(cell: Cell | None) -> str:
    return f"{cell.passed} / {cell.specs}" if cell else "nothing"


def _columns(member: SetMember, run: GradingRun, failures: str) -> dict[str, Any]:
    return {
        "set_id": member.set_id,
        "run": run,
        "passed": run.passed_count,
        "specs": run.spec_count,
        "revision": run.revision.number,
        "failures": failures,
        "cost_usd": run.submission.cost_usd,
        "elapsed_s": run.submission.elapsed_s,
        "settings_digest": run.settings_digest,
        "graded_by": graded_by(run),
    }


def graded_by(run: GradingRun) -> str:
    """Return the digest of what publishing asks of a run (`badges.why_not`): runs of one digest are answered alike."""
    asked = (
        run.toolchain_digest,
        run.grader_digest,
        run.publishable,
        run.sandbox,
        run.toolchain,
    )
    return hashlib.sha256(repr(asked).encode()).hexdigest()


def failures_of(runs: Iterable[int]) -> dict[int, str]:
    """Return by run the counts of outcomes that did not pass, one `outcome count` a line, most first."""
    counts: dict[int, list[tuple[str, int]]] = {}
    wanted = list(runs)
    for start in range(0, len(wanted), _BATCH):
        rows = (
            Outcome.objects.filter(run__in=wanted[start : start + _BATCH])
            .exclude(outcome="passed")
            .order_by()
            .values_list("run", "outcome")
            .annotate(number=Count("pk"))
        )
        for run, outcome, number in rows:
            counts.setdefault(run, []).append((outcome, number))
    return {
        run: "\n".join(
            f"{name} {number}"
            for name, number in sorted(found, key=lambda one: (-one[1], one[0]))
        )
        for run, found in counts.items()
    }


@transaction.atomic
def rebuild_cells(found: InstanceSet) -> int:
    """Write all verified cells of a set anew from the current outcomes; return how many there are.

    Members take the denominators of their instances' current revisions.
    """
    instances = hold_instances(found.members.values_list("instance", flat=True))
    rows = found.members.select_for_update(no_key=True).filter(instance__in=instances)
    members = {member.instance_id: member for member in rows.order_by("pk")}
    for member in members.values():
        member.instance = instances.get(member.instance_id or 0)
        refresh_denominator(member)
    runs = (
        GradingRun.objects.counting()
        .filter(instance__in=list(members))
        .select_related("submission", "revision")
        .order_by(*_order(found))
    )
    chosen: dict[tuple[int, int, str], GradingRun] = {}
    for run in runs:
        submission = run.submission
        chosen.setdefault(
            (run.instance_id, submission.configuration_id, submission.mode), run
        )
    failures = failures_of(run.pk for run in chosen.values())
    found.cells.filter(basis=Cell.VERIFIED).delete()
    Cell.objects.bulk_create(
        (
            Cell(
                member=members[instance],
                configuration_id=configuration,
                mode=mode,
                basis=Cell.VERIFIED,
                **_columns(members[instance], run, failures.get(run.pk, "")),
            )
            for (instance, configuration, mode), run in chosen.items()
        ),
        batch_size=_BATCH,
    )
    return len(chosen)


def refresh_denominator(member: SetMember) -> None:
    """Give a member specs and number of its instance's current revision, where it has one."""
    if member.instance is None:
        return
    current = member.instance.revisions.filter(is_current=True).first()
    if current is not None:
        _fit(member, current)


def _fit(member: SetMember, revision: Revision) -> int:
    """Give a member specs and number of `revision`; return how many specs it had."""
    before = member.specs
    if (before, member.revision) != (revision.spec_count, revision.number):
        member.specs, member.revision = revision.spec_count, revision.number
        member.save(update_fields=["specs", "revision"])
    return before


def follow_revision(user: User | None, revision: Revision) -> None:
    """Give the members of `revision`'s instance its number and its specs. Follows each new revision."""
    members = SetMember.objects.filter(instance=revision.instance_id)
    for member in members.select_related("set").order_by("pk"):
        before = _fit(member, revision)
        if before == member.specs:
            continue
        record(
            "board.resized",
            user,
            member.set,
            implicit=True,
            member=member.name,
            before=before,
            after=member.specs,
        )
