"""Append to the record, and check it.

The hash of an event is the SHA-256 over the canonical JSON of its fields and of the previous hash, so that a
changed, removed or inserted row is found by `broken_links`. Appending locks the chain's head until the
transaction ends: record last, after the work.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from typing import Any

from django.db import connection, models, transaction
from django.utils import timezone

from workbench.access.models import User
from workbench.access.rights import Person
from workbench.events.correlation import current_correlation
from workbench.events.models import Event, Head

_START = "0" * 64


def record(
    verb: str,
    actor: Person | None,
    about: models.Model,
    *,
    reason: str = "",
    implicit: bool = False,
    **data: Any,
) -> Event:
    """Append the event that `actor` (None: the system) did `verb` to `about`, inside the caller's transaction.

    `about` names itself by `event_name` (else `str`) and may carry `team_id` and `instance_id`.
    `data` must be JSON of strings, whole numbers, booleans, lists and objects.
    """
    if not connection.in_atomic_block:
        raise transaction.TransactionManagementError(
            "An event is recorded in the transaction of the act it tells."
        )
    kind = about._meta.model_name or ""
    instance_id = (
        about.pk if kind == "instance" else getattr(about, "instance_id", None)
    )
    person = actor if isinstance(actor, User) else None
    head = _locked_head()
    event = Event(
        number=head.number + 1,
        at=timezone.now(),
        verb=verb,
        actor=person,
        actor_name=person.username if person else "system",
        object_kind=kind,
        object_id=str(about.pk),
        object_name=str(getattr(about, "event_name", about))[:300],
        instance_id=instance_id,
        team_id=getattr(about, "team_id", None),
        reason=reason,
        data=json.dumps(data, sort_keys=True, ensure_ascii=False),
        correlation=current_correlation(),
        implicit=implicit,
        previous_hash=head.hash,
    )
    event.hash = event_hash(event)
    event.save(force_insert=True)
    head.number, head.hash = event.number, event.hash
    head.save()
    return event


def _locked_head() -> Head:
    head = Head.objects.select_for_update().filter(pk=1).first()
    if head is None:  # the very first event
        Head.objects.bulk_create([Head(pk=1)], ignore_conflicts=True)
        head = Head.objects.select_for_update().get(pk=1)
    return head


def event_hash(event: Event) -> str:
    """Return the hash that `event` must carry."""
    fields = [
        event.number, event.at.isoformat(), event.verb, event.actor_id, event.actor_name, event.object_kind,
        event.object_id, event.object_name, event.instance_id, event.team_id, event.reason, event.data,
        str(event.correlation), event.implicit, event.previous_hash,
    ]  # fmt: skip
    return hashlib.sha256(json.dumps(fields, ensure_ascii=False).encode()).hexdigest()


def broken_links() -> Iterator[str]:
    """Yield a sentence for each place where the chain does not hold; nothing when it is whole.

    Takes no lock: what is appended meanwhile is left to the next check.
    """
    end = Head.objects.filter(pk=1).values_list("number", "hash").first()
    last_number, last_hash = end or (0, _START)
    previous, number = _START, 0
    for event in (
        Event.objects.filter(number__lte=last_number)
        .order_by("number")
        .iterator(chunk_size=2000)
    ):
        for missing in range(number + 1, event.number):
            yield f"event {missing} is missing"
        if event.previous_hash != previous:
            yield f"event {event.number} does not follow the event before it"
        if event.hash != event_hash(event):
            yield f"event {event.number} was changed"
        previous, number = event.hash, event.number
    for missing in range(number + 1, last_number + 1):
        yield f"event {missing} is missing"
    if number == last_number and previous != last_hash:
        yield f"the head does not carry the hash of event {number}, the last one"
    # The events are read before the head: whoever appends moves both at once.
    newest = (
        Event.objects.order_by("-number").values_list("number", flat=True).first() or 0
    )
    moved = Head.objects.filter(pk=1).values_list("number", flat=True).first() or 0
    if newest > moved:
        yield f"the record goes on to event {newest}, its head says {moved}"
