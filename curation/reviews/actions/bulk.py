"""Approve, give away or re-open many definitions as one act.

Each goes through the action for one, with its rules and its event; they share the correlation id, so that the act can
be seen and undone as one. What is no longer as the preview showed it is left out and said.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from django.core.exceptions import PermissionDenied
from django.db import transaction

from curation.instances.locks import hold_instances
from curation.instances.models import Instance, Placement
from curation.reviews.actions.approve_translation import approve_translation
from curation.reviews.actions.assign_entry import CannotReview, assign_entry
from curation.reviews.actions.withdraw_review import withdraw_review
from curation.reviews.deciding import NoReview, OwnWork, StaleTranslation
from curation.reviews.models import QueueEntry, Review
from curation.reviews.selectors.bulk import (
    Read,
    reopened,
    why_not_waiting,
)
from workbench.access.models import User
from workbench.bulk import Outcome, attempt, demand_few

_REFUSALS = (StaleTranslation, OwnWork, NoReview, CannotReview, PermissionDenied)


@transaction.atomic
def approve_many(reviewer: User, items: Sequence[Read]) -> Outcome:
    """Approve each of `items` as the preview showed it. Raises `TooMany`."""

    def approve(entry: QueueEntry, read: Read) -> str:
        obstacle = why_not_waiting(reviewer, entry)
        if obstacle:
            return obstacle
        approve_translation(
            reviewer, entry.definition, number=read.number, read_hash=read.read_hash
        )
        return ""

    return _each(reviewer, items, approve)


@transaction.atomic
def assign_many(person: User, items: Sequence[Read], assignee: User | None) -> Outcome:
    """Give each of `items` to `assignee` (None: to nobody in particular). Raises `TooMany`."""

    def assign(entry: QueueEntry, read: Read) -> str:
        assign_entry(person, entry.definition, assignee)
        return ""

    return _each(person, items, assign)


@transaction.atomic
def reopen_many(person: User, items: Sequence[Read], *, reason: str = "") -> Outcome:
    """Take back the approvals and skips of each of `items`, so that it waits again. Raises `TooMany`."""

    def reopen(entry: QueueEntry, read: Read) -> str:
        placement = Placement.objects.select_related("translation").get(
            pk=entry.placement_id
        )
        if (placement.translation.number, placement.meaning_hash) != (
            read.number,
            read.read_hash,
        ):
            return "it has changed since the preview"
        reviews = reopened(
            list(
                Review.objects.filter(
                    definition=entry.definition_id, standing=True
                ).select_related("definition__instance", "reviewer")
            )
        )
        for review in reviews:
            withdraw_review(person, review, reason=reason)
        return "" if reviews else "nobody has approved or skipped it"

    return _each(person, items, reopen)


def _each(
    user: User, items: Sequence[Read], act: Callable[[QueueEntry, Read], str]
) -> Outcome:
    """Do `act` to the entry of each of `items`; it returns why it did nothing, "" where it did."""
    demand_few(len(items))
    entries = _locked(user, [item.definition for item in items])
    done, left = [], []
    for read in items:
        entry = entries.get(read.definition)
        if entry is None:
            left.append((f"definition {read.definition}", "it is in no queue any more"))
            continue
        name = entry.definition.lean_name
        obstacle = attempt(partial(act, entry, read), _REFUSALS)
        if obstacle:
            left.append((name, obstacle))
        else:
            done.append(name)
    return Outcome(done, left)


def _locked(user: User, definitions: Sequence[int]) -> dict[int, QueueEntry]:
    """Return the entries that `user` sees by definition, locked after their instances, as everybody locks (deciding.py).

    Of others not even the name is told: a form can name any definition.
    """
    rows = QueueEntry.objects.filter(
        definition__in=definitions, instance__in=Instance.objects.visible_to(user)
    )
    hold_instances(rows.values_list("instance_id", flat=True))
    # Without the holders: PostgreSQL joins those of before it waited for the locks.
    entries = (
        rows.select_for_update(of=("self",))
        .select_related("definition__instance")
        .order_by("pk")
    )
    return {entry.definition_id: entry for entry in entries}
