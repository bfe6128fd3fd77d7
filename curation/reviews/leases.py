"""Leases: who reads which entry, until when. Two people never get the same one.

A lease is held for WORKBENCH_REVIEW_LEASE_MINUTES; the open page extends it every minute, leaving the page ends it
within LEAVING, and whoever is silent loses it to the next who asks. It decides what "Next for me" gives; a decision does not need one,
since it is bound to the content that was read.
"""

from __future__ import annotations

import secrets
from datetime import datetime, timedelta
from urllib.parse import urlencode

from django.conf import settings
from django.contrib import messages
from django.db import connection, transaction
from django.db.models import Case, Exists, OuterRef, Q, QuerySet, Value, When
from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone

from curation.instances.models import Definition, Translation
from curation.reviews.models import QueueEntry, Review
from curation.reviews.selectors.queue import (
    ORDER,
    Leased,
    QueueFilter,
    entries_seen,
    held,
    leased_to_others,
)
from workbench.access.models import User
from workbench.access.rights import require
from workbench.access.roles import REVIEW
from workbench.events.log import record
from workbench.ui.times import duration_words

FIRST, SECOND = "first", "second"
LEAVING = timedelta(seconds=20)
"""So long a lease goes on when its page is left: whoever reloads it or comes back at once has it still."""


class NotWaiting(Exception):
    """There is nothing to decide: the definition is approved, sent back or exempt. The text says which."""


class LeaseTaken(Exception):
    """Somebody else has it. Carries the entry; the text says who, and until when."""

    def __init__(self, entry: QueueEntry) -> None:
        assert entry.holder is not None
        assert entry.leased_until is not None
        until = timezone.localtime(entry.leased_until)
        super().__init__(f"{entry.holder.display_name} has it until {until:%H:%M}")
        self.entry = entry


def claim_next(
    user: User,
    wanted: QueueFilter,
    *,
    pool: str = FIRST,
    near: str = "",
) -> QueueEntry | None:
    """Return the entry that `user` is to read next, leased to them, or None where nothing is free.

    What they hold already comes first, then what was given to them, then what waits in the instance with the slug
    `near`, then the rest, each in the order of the queue. Never given: what somebody else holds or was given, what
    `user` wrote, what they decided on. `pool` "second" gives what somebody skipped, what they skipped themselves last.
    """
    rows = takeable(user, wanted, pool=pool)
    with transaction.atomic():
        theirs = Q(assignee=user) & ~held()
        own = _first(rows.filter((Q(holder=user) & held()) | theirs), user)
        if own is not None and is_held(own):
            return _keep(own)
        some = rows.exclude(held())
        entry = _take_first(some.filter(assignee=user), user) if own else None
        others = some.filter(assignee=None)
        if entry is None and pool == SECOND:
            entry = _take_near(others.exclude(_skipped_by(user)), user, near)
        if entry is None:
            entry = _take_near(others, user, near)
        if entry is not None:
            record("lease.taken", user, entry.definition, implicit=True)
        return entry


def _take_near(free: QuerySet[QueueEntry], user: User, near: str) -> QueueEntry | None:
    entry = _take_first(free.filter(instance__slug=near), user) if near else None
    return entry or _take_first(free, user)


def _skipped_by(user: User) -> Exists:
    """Return the condition that `user` skipped it: it is for others first."""
    return Exists(
        Review.objects.filter(
            definition=OuterRef("definition"),
            reviewer=user,
            standing=True,
            decision=Review.SKIP,
        )
    )


def _first(rows: QuerySet[QueueEntry], user: User) -> QueueEntry | None:
    """Return what `user` holds before what was given to them."""
    mine = Case(When(held(), holder=user, then=Value(0)), default=Value(1))
    return rows.select_related("definition__instance").order_by(mine, *ORDER).first()


def takeable(
    user: User, wanted: QueueFilter, *, pool: str = FIRST
) -> QuerySet[QueueEntry]:
    """Return the entries that `user` may be given, held ones included."""
    decisions = [Review.APPROVE, Review.RETRANSLATE]
    decided = Review.objects.filter(
        definition=OuterRef("definition"),
        reviewer=user,
        standing=True,
        decision__in=decisions,
    )
    rows = entries_seen(user, wanted.waiting(), right=REVIEW).filter(
        Q(assignee=None) | Q(assignee=user), skipped=pool == SECOND
    )
    return rows.exclude(written_by(user)).exclude(Exists(decided))


def written_by(user: User) -> Q:
    """Return the condition that `user` wrote an entry's current text. Who imports a text has not written it."""
    return Q(
        placement__translation__author=user,
        placement__translation__origin__in=_WRITTEN,
    )


_WRITTEN = [origin for origin, _ in Translation.ORIGINS if origin != "import"]


def _take_first(free: QuerySet[QueueEntry], user: User) -> QueueEntry | None:
    """Lease the first of `free` that nobody else takes meanwhile.

    PostgreSQL passes over the rows that others are taking; SQLite has one writer, and the condition is part of the
    UPDATE.
    """
    free = free.select_related("definition__instance").order_by(*ORDER)
    if connection.features.has_select_for_update_skip_locked:
        free = free.select_for_update(skip_locked=True, of=("self",))
    while (entry := free.first()) is not None:
        token, until = secrets.token_hex(16), _until()
        taken = (
            QueueEntry.objects.filter(pk=entry.pk, state=QueueEntry.OPEN)
            .exclude(held())
            .update(holder=user, lease_token=token, leased_until=until)
        )
        if taken:
            entry.holder, entry.lease_token, entry.leased_until = user, token, until
            return entry
    return None


def _until() -> datetime:
    return timezone.now() + timedelta(minutes=settings.REVIEW_LEASE_MINUTES)


def _keep(entry: QueueEntry) -> QueueEntry:
    """Return `entry`, whose lease begins anew."""
    entry.leased_until = _until()
    QueueEntry.objects.filter(
        pk=entry.pk, holder=entry.holder_id, lease_token=entry.lease_token
    ).update(leased_until=entry.leased_until)
    return entry


def claim(user: User, definition: Definition) -> QueueEntry:
    """Return the entry of `definition`, leased to `user`. Raises `AccessDenied`, `NotWaiting`, `LeaseTaken`."""
    require(user, REVIEW, definition.instance)
    with transaction.atomic():
        # Without the holder: PostgreSQL joins who held it before it waited for the lock.
        entry = (
            QueueEntry.objects.select_for_update(of=("self",))
            .select_related("definition__instance")
            .filter(definition=definition)
            .first()
        )
        if entry is None or entry.state != QueueEntry.OPEN:
            said = entry.get_state_display() if entry else "in no queue"
            raise NotWaiting(f"{definition} is {said}")
        if is_held(entry) and entry.holder_id != user.pk:
            raise LeaseTaken(entry)
        anew = entry.holder_id != user.pk
        entry.holder = user
        entry.lease_token = entry.lease_token if not anew else secrets.token_hex(16)
        entry.leased_until = _until()
        entry.save(update_fields=["holder", "lease_token", "leased_until"])
        if anew:
            record("lease.taken", user, definition, implicit=True)
    return entry


def is_held(entry: QueueEntry) -> bool:
    """Return whether somebody's lease of `entry` runs."""
    return (
        entry.holder_id is not None
        and entry.leased_until is not None
        and entry.leased_until > timezone.now()
    )


def extend(user: User, definition: Definition, token: str) -> QueueEntry | None:
    """Return the entry with its lease begun anew, or None where `user` no longer holds it by that `token`.

    A lease that ran out and that nobody took meanwhile is held again.
    """
    kept = QueueEntry.objects.filter(
        definition=definition, holder=user, lease_token=token, state=QueueEntry.OPEN
    ).update(leased_until=_until())
    if not kept or not token:
        return None
    return QueueEntry.objects.select_related("definition__instance").get(
        definition=definition
    )


def let_go(user: User, definition: Definition, token: str, until: str) -> bool:
    """Return whether the lease of `user` by `token` ends within LEAVING now: its page was left.

    `until` is what the page knew of its end (`lease_end`): a lease that was extended since, by a page that came after
    it or by another one, goes on. No event: it runs out, only sooner.
    """
    entry = QueueEntry.objects.filter(
        definition=definition, holder=user, lease_token=token
    ).first()
    if not token or entry is None or lease_end(entry) != until:
        return False
    soon = timezone.now() + LEAVING
    if entry.leased_until is None or entry.leased_until <= soon:
        return False
    return bool(
        QueueEntry.objects.filter(
            pk=entry.pk, lease_token=token, leased_until=entry.leased_until
        ).update(leased_until=soon)
    )


def lease_end(entry: QueueEntry) -> str:
    """Return when the lease of `entry` ends, exactly, as a form carries it; "" where nobody has it."""
    return entry.leased_until.isoformat() if entry.leased_until else ""


def lost_words(user: User, entry: QueueEntry | None) -> str:
    """Return in words what became of a lease that `user` had of `entry`; "" where they have one (again)."""
    if entry is None:
        return "it is in no queue any more"
    if entry.state != QueueEntry.OPEN:
        return f"it is {entry.get_state_display()} now, so nothing waits for you here"
    if not is_held(entry):
        return "nobody has it at present: you can take it again"
    if entry.holder_id == user.pk:
        return ""
    return f"{LeaseTaken(entry)} now"


@transaction.atomic
def give_back(user: User, definition: Definition, token: str = "") -> bool:
    """Return whether `user` had a lease of `definition` (by `token`, where one is given) and it is free now."""
    rows = QueueEntry.objects.filter(definition=definition, holder=user)
    if token:
        rows = rows.filter(lease_token=token)
    if not rows.update(holder=None, lease_token="", leased_until=None):
        return False
    record("lease.given_back", user, definition, implicit=True)
    return True


def next_address(user: User, request: HttpRequest) -> str:
    """Return where a view goes after a decision: the next definition, leased to `user`, or the queue with words.

    The filter travels as the field `queue` of the form or of the address; the instance is that of the page.
    """
    text = request.POST.get("queue") or request.GET.get("queue") or ""
    wanted = QueueFilter.from_text(text)
    pool = SECOND if wanted.pool == "skipped" else FIRST
    match = request.resolver_match
    near = str(match.kwargs.get("slug", "")) if match else ""
    entry = claim_next(user, wanted, pool=pool, near=near)
    if entry is not None:
        return address_of(entry, wanted)
    messages.info(request, nothing_free(user, wanted))
    return reverse("reviews:queue") + wanted.query()


def address_of(entry: QueueEntry, wanted: QueueFilter) -> str:
    """Return the address of the page on which `entry` is read, with the filter it was taken from."""
    page = reverse(
        "instances:definition",
        args=[entry.definition.instance.slug, entry.definition_id],
    )
    query = urlencode({"queue": wanted.query().removeprefix("?") or "all"})
    return f"{page}?{query}"


def leased_words(leased: Leased) -> str:
    """Return "7 leased, first free in 3 min", "" where others hold nothing."""
    if not leased.number or leased.first_free is None:
        return ""
    left = (leased.first_free - timezone.now()).total_seconds()
    return f"{leased.number} leased, first free in {duration_words(max(left, 1))}"


def nothing_free(user: User, wanted: QueueFilter) -> str:
    """Return in words why "Next for me" has nothing: others hold it, it was skipped, or nothing is left."""
    held_words = leased_words(leased_to_others(user, wanted))
    skipped = takeable(user, wanted, pool=SECOND).exclude(held()).count()
    words = [held_words] if held_words else []
    if skipped:
        words.append(f"{skipped} in the second pool, skipped by somebody")
    if not words:
        return "Nothing waits for you here."
    return f"Nothing is free for you: {'; '.join(words)}."
