"""Merge findings with one root cause, take them apart again, and split one. What people said outlasts the rule."""

from __future__ import annotations

import hashlib
from collections.abc import Collection

from django.db import transaction
from django.db.models import Q

from adjudication.audits.actions.place_closure import make_finding, say_what_is_proved
from adjudication.audits.actions.repair_finding import check_joined
from adjudication.audits.actions.settle_finding import (
    Incomplete,
    locked,
    remark_of,
    through_triage,
    words_of,
)
from adjudication.audits.models import Closure, Finding, Merge, NotSame
from adjudication.audits.states import BLOCKING, CLOSED, OPEN_TO_RULING, WrongMove, move
from workbench.access.models import User
from workbench.access.rights import require
from workbench.access.roles import ADJUDICATE
from workbench.events.log import record

RULE_SPLIT = "set apart by hand"


@transaction.atomic
def merge_findings(
    user: User, finding: Finding, into: Finding, *, reason: str = ""
) -> Merge:
    """Return how `finding` was merged: its closures go to `into`, an open finding of the same instance.

    It becomes a duplicate; what the rule would put there goes to `into` as well. Raises `AccessDenied`, `WrongMove`, `Incomplete`.
    """
    require(user, ADJUDICATE, finding.instance)
    if into.instance_id != finding.instance_id or into.pk == finding.pk:
        raise Incomplete("Merge with another finding of the same instance.")
    found, target = locked(finding), locked(into)
    if target.state in CLOSED:
        raise WrongMove(
            f"{target} is {target.get_state_display()}; only an open finding takes others in."
        )
    if found.state == Finding.CONFIRMED and target.state not in BLOCKING:
        # Merging must not end that the instance waits for a repair.
        raise WrongMove(
            f"{found} is confirmed and {target} is not: merge {target} into {found} instead."
        )
    closures = list(found.closures.select_related("run__submission", "revision"))
    said = (
        NotSame.objects.filter(
            Q(closure__in=closures, group_key=target.group_key)
            | Q(closure__finding=target, group_key=found.group_key)
        )
        .select_related("by")
        .first()
    )
    if said is not None:
        raise WrongMove(
            f"{said.by.username} split {found} from {target}. Undo that first, if they are the same."
        )
    reason = remark_of(reason)
    through_triage(found, user)
    move(found, Finding.DUPLICATE, user, reason=reason)
    found.duplicate_of = target
    found.save(update_fields=["duplicate_of"])
    merge = Merge.objects.create(finding=found, into=target, by=user, reason=reason)
    merge.closures.set(closures)
    found.closures.update(finding=target)
    say_what_is_proved(target)
    record(
        "finding.merged",
        user,
        found,
        reason=reason,
        into=f"F-{target.number}",
        closures=len(closures),
    )
    for closure in closures:
        check_joined(target, closure)
    return merge


@transaction.atomic
def take_apart(user: User, finding: Finding, *, reason: str = "") -> Finding:
    """Return `finding`, no longer merged: triaged, with the closures that it brought. Raises `AccessDenied`, `WrongMove`."""
    require(user, ADJUDICATE, finding.instance)
    found = locked(finding)
    merge = found.merges.filter(is_current=True).select_related("into").first()
    if merge is None or found.state != Finding.DUPLICATE:
        raise WrongMove(f"{found} is not merged into another finding.")
    was_confirmed = _was_confirmed(found)
    target = merge.into
    brought = Closure.objects.filter(
        pk__in=merge.closures.values("pk"), finding__in=_now_in(target)
    )
    if not brought.exists():
        raise WrongMove(
            f"{target} has none of the closures of {found} any more: somebody split them from it. Undo that first."
        )
    merge.is_current = False
    merge.save(update_fields=["is_current"])
    holders = set(brought.values_list("finding", flat=True))
    back = Closure.objects.filter(pk__in=list(brought.values_list("pk", flat=True)))
    number = back.update(finding=found)
    for holder in Finding.objects.filter(pk__in=holders):
        say_what_is_proved(holder)
    found.duplicate_of = None
    found.save(update_fields=["duplicate_of"])
    say_what_is_proved(found)
    reason = remark_of(reason)
    move(found, Finding.TRIAGED, user, reason=reason or "taken apart again")
    if was_confirmed:  # it blocks its instance again
        move(found, Finding.CONFIRMED, user, reason="as it was ruled")
    record(
        "finding.apart",
        user,
        found,
        reason=reason,
        of=f"F-{target.number}",
        closures=number,
    )
    return found


def _now_in(target: Finding) -> list[int]:
    """Return the keys of the findings that hold what was merged into `target`: its own, and where it was merged itself.

    What somebody split from them is elsewhere, and stays there.
    """
    keys = [target.pk]
    while target.duplicate_of is not None and target.duplicate_of_id not in keys:
        target = target.duplicate_of
        keys.append(target.pk)
    return keys


def _was_confirmed(found: Finding) -> bool:
    """Whether a merged finding was confirmed until it was merged: that act moved it twice."""
    points = list(found.turning_points.order_by("-pk")[:2])
    return (
        len(points) == 2
        and points[1].before == Finding.CONFIRMED
        and points[0].correlation == points[1].correlation
    )


@transaction.atomic
def split_finding(
    user: User, finding: Finding, closures: Collection[int], *, reason: str
) -> Finding:
    """Return the new finding that holds `closures` (keys) of `finding`; no rule puts them together again.

    At least one closure stays. Raises `AccessDenied`, `WrongMove`, `Incomplete`.
    """
    require(user, ADJUDICATE, finding.instance)
    reason = words_of(reason, "why they are not the same")
    found = locked(finding)
    if found.state not in OPEN_TO_RULING:
        raise WrongMove(
            f"{found} is {found.get_state_display()}; put it back to triage before you split it."
        )
    chosen = list(found.closures.filter(pk__in=closures).order_by("pk"))
    if not chosen or len(chosen) != len(set(closures)):
        raise Incomplete("Choose closures of this finding.")
    if len(chosen) == found.closures.count():
        raise Incomplete("At least one closure stays; choose fewer.")
    key = hashlib.sha256(f"{found.group_key} {chosen[0].pk}".encode()).hexdigest()
    made = make_finding(
        found.instance,
        key,
        RULE_SPLIT,
        route=chosen[0].route,
        specs=list(chosen[0].specs.all()),
    )
    made.severity = found.severity
    made.save(update_fields=["severity"])
    for closure in chosen:
        NotSame.objects.get_or_create(
            closure=closure, group_key=found.group_key, defaults={"by": user}
        )
    found.closures.filter(pk__in=[closure.pk for closure in chosen]).update(
        finding=made
    )
    say_what_is_proved(found)
    say_what_is_proved(made)
    move(made, Finding.TRIAGED, user, reason=f"split from F-{found.number}: {reason}")
    record(
        "finding.split",
        user,
        made,
        reason=reason,
        of=f"F-{found.number}",
        closures=len(chosen),
    )
    return made


@transaction.atomic
def join_again(user: User, finding: Finding, *, reason: str = "") -> Merge:
    """Return the merge that takes back how `finding` was split from another. Raises as `merge_findings`."""
    require(user, ADJUDICATE, finding.instance)
    found = locked(finding)
    origin = split_from(found)
    if origin is None:
        raise WrongMove(f"{found} was not split from another finding.")
    NotSame.objects.filter(closure__finding=found, group_key=origin.group_key).delete()
    return merge_findings(user, found, origin, reason=reason)


def split_from(finding: Finding) -> Finding | None:
    """Return the finding from which `finding` was split, None where it was not. Two queries."""
    keys = NotSame.objects.filter(closure__finding=finding).values("group_key")
    others = Finding.objects.filter(instance=finding.instance_id, group_key__in=keys)
    return others.exclude(pk=finding.pk).order_by("pk").first()
