"""Append to the record, and check it.

The hash of an event is the SHA-256 over the canonical JSON of its fields and of the previous hash, so that a
changed, removed or inserted row is found by `broken_links`. Appending locks the chain's head until the
transaction ends: record last, after the work.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator
from typing import Any

from django.db import connection, models, transaction
from django.utils import timezone

from workbench.access.models import User
from workbench.access.rights import Person
from workbench.events.correlation import current_correlation
from workbench.events.models import Event, Head
from workbench.ringing import ring

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
    number, previous = _locked_head()
    event = Event(
        number=number + 1,
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
        previous_hash=previous,
    )
    event.hash = event_hash(event)
    _append(event)
    ring()
    return event


# Every act pays for these statements while it holds up all others: so they are SQL, and no more than two on PostgreSQL.
_LOCK = "SELECT number, hash FROM events_head WHERE id = 1"
_MOVE = "UPDATE events_head SET number = %s, hash = %s WHERE id = 1"


def _locked_head() -> tuple[int, str]:
    """Return number and hash of the last event, with the head locked until the transaction ends."""
    lock = f"{_LOCK} FOR UPDATE" if connection.vendor == "postgresql" else _LOCK
    with connection.cursor() as cursor:
        cursor.execute(lock)
        row = cursor.fetchone()
        if row is None:  # the very first event
            Head.objects.bulk_create([Head(pk=1)], ignore_conflicts=True)
            cursor.execute(lock)
            row = cursor.fetchone()
    assert row is not None
    return int(row[0]), str(row[1])


def _append(event: Event) -> None:
    """Insert `event` and move the head to it: one round trip on PostgreSQL."""
    head: list[Any] = [event.number, event.hash]
    with connection.cursor() as cursor:
        if connection.vendor != "postgresql":
            event.save(force_insert=True)
            cursor.execute(_MOVE, head)
            return
        fields = [
            field for field in Event._meta.concrete_fields if not field.primary_key
        ]
        values = [
            field.get_db_prep_save(getattr(event, field.attname), connection)
            for field in fields
        ]
        columns, marks = (
            ", ".join(f'"{field.column}"' for field in fields),
            ", ".join(["%s"] * len(fields)),
        )
        cursor.execute(
            f"WITH added AS (INSERT INTO events_event ({columns}) VALUES ({marks}) RETURNING id) "  # noqa: S608  # names of our own columns
            f"{_MOVE} RETURNING (SELECT id FROM added)",
            [*values, *head],
        )
        row = cursor.fetchone()
    assert row is not None
    event.pk = row[0]
    event._state.adding, event._state.db = False, connection.alias


def event_hash(event: Event) -> str:
    """Return the hash that `event` must carry."""
    fields = [
        event.number, event.at.isoformat(), event.verb, event.actor_id, event.actor_name, event.object_kind,
        event.object_id, event.object_name, event.instance_id, event.team_id, event.reason, event.data,
        str(event.correlation), event.implicit, event.previous_hash,
    ]  # fmt: skip
    return hashlib.sha256(json.dumps(fields, ensure_ascii=False).encode()).hexdigest()


def head_mark() -> str:
    """Return `NUMBER:HASH` of the newest event: kept elsewhere, it shows when the end of the record is cut off later."""
    number, found = Head.objects.filter(pk=1).values_list("number", "hash").first() or (
        0,
        _START,
    )
    return f"{number}:{found}"


def missing_mark(mark: str) -> str:
    """Return what is wrong if the record no longer goes through `mark` (of `head_mark`), else "". Raises `ValueError`."""
    text, _, expected = mark.partition(":")
    if not (
        text.isascii() and text.isdigit() and re.fullmatch("[0-9a-f]{64}", expected)
    ):
        raise ValueError(
            f"expected NUMBER:HASH, as verify-events prints it, not {mark!r}"
        )
    number = int(text)
    if number == 0:
        return ""
    found = (
        Event.objects.filter(number=number).values_list("hash", flat=True).first()
        if number < 2**63
        else None
    )
    if found is None:
        return f"event {number}, which was there once, is missing: the end of the record was cut off"
    if found != expected:
        return f"event {number} is another one than it was: the record was replaced"
    return ""


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
