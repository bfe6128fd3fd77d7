"""What waits for one person: the panel of the home page and the number in the top bar."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.db.models import Exists, OuterRef, Q

from curation.instances.models import Definition, Instance
from curation.reviews.leases import is_held, takeable
from curation.reviews.models import Retranslation, Review, ReviewEnd
from curation.reviews.selectors.queue import ORDER, QueueFilter, entries_seen, held
from workbench.access.models import User
from workbench.access.roles import CURATE, REVIEW

COUNTED = 999


@dataclass(frozen=True)
class Mine:
    """One thing that waits for the person: its kind with a tone, the definition, why it is theirs, since when."""

    tone: str
    kind: str
    definition: Definition
    why: str
    since: datetime
    until: datetime | None = None
    is_markdown: bool = False


def waiting_number(user: User) -> int:
    """Return how many entries the queue lists without a filter, counted up to one more than `COUNTED`. One query."""
    return entries_seen(user, QueueFilter()).order_by()[: COUNTED + 1].count()


def my_queue(user: User, limit: int) -> list[Mine]:
    """Return the first `limit` things that wait for `user`, most urgent first. Three queries.

    First what they hold, then dropped approvals of theirs, what was given to them, re-translations to write, and then
    what comes next in the order of the queue.
    """
    found = _entries(user, limit) + _requests(user, limit)
    if len(found) < limit:
        seen = {one.definition.pk for one in found}
        rows = takeable(user, QueueFilter()).exclude(held())
        for entry in rows.select_related("definition__instance").order_by(*ORDER)[
            :limit
        ]:
            if entry.definition_id not in seen:
                why = entry.risk_words or "next in the order of uses"
                found.append(
                    Mine("off", "review", entry.definition, why, entry.changed_at)
                )
    return found[:limit]


def _entries(user: User, limit: int) -> list[Mine]:
    """Return what `user` holds, what fell of theirs, and what was given to them."""
    fallen = Review.objects.filter(
        definition=OuterRef("definition"),
        reviewer=user,
        decision=Review.APPROVE,
        end__kind__in=(ReviewEnd.OWN, ReviewEnd.USED),
    )
    rows = (
        entries_seen(user, QueueFilter(), right=REVIEW)
        .annotate(fell=Exists(fallen))
        .filter(
            (Q(holder=user) & held())
            | Q(assignee=user)
            | (Q(dropped=True, fell=True) & ~held())
        )
        .select_related("definition__instance")
        .order_by(*ORDER)[: limit + 1]
    )
    found = []
    for entry in rows:
        mine = is_held(entry) and entry.holder_id == user.pk
        until = entry.leased_until if mine else None
        if entry.dropped:
            one = ("warn", "re-review", "an approval dropped: " + entry.risk_words)
        elif entry.assignee_id == user.pk:
            one = (
                "info",
                "given to you",
                entry.risk_words or "somebody gave it to you",
            )
        else:
            one = ("off", "review", entry.risk_words or "you took it")
        found.append(
            (
                not mine,
                Mine(*one[:2], entry.definition, one[2], entry.changed_at, until),
            )
        )
    found.sort(key=lambda pair: pair[0])
    return [one for _, one in found]


def _requests(user: User, limit: int) -> list[Mine]:
    rows = Retranslation.objects.filter(
        definition__instance__in=Instance.objects.visible_to(user, CURATE),
        state=Retranslation.OPEN,
        assignee=user,
    ).select_related("definition__instance", "review")
    return [
        Mine(
            "bad",
            "re-translate",
            row.definition,
            row.review.words,
            row.created_at,
            is_markdown=True,
        )
        for row in rows.order_by("created_at")[:limit]
    ]
