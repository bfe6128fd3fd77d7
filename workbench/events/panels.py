"""What the record shows on other pages: recent activity on the home page, the state of the chain."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest
from django.utils.safestring import SafeString

from workbench.access.models import User
from workbench.events.models import Event, Head
from workbench.events.selectors import BROKEN, last_verification, visible_events
from workbench.events.telling import data_of, tell
from workbench.ui.checks import BAD, OK, WARN, Answer

ACTS = 12
# Enough to fill the panel when acts have a few events each; an import of a whole corpus is one act of many.
READ = 200


@dataclass
class Act:
    """What one request, job or command did: its newest event, and how many more of its events were read."""

    event: Event
    sentence: SafeString
    more: int = 0


def recent_activity(request: HttpRequest) -> dict[str, Any] | None:
    """Return the newest acts that this person may see and that tell of work. One query.

    Consequences that the system drew stay with their act in the log, and so do people's own settings.
    """
    if not isinstance(request.user, User):
        return None
    events = (
        visible_events(request.user)
        .filter(implicit=False)
        .exclude(object_kind="user")
        .order_by("-number")[:READ]
    )
    acts: dict[uuid.UUID, Act] = {}
    for event in events:
        if event.correlation in acts:
            acts[event.correlation].more += 1
        elif len(acts) < ACTS:
            acts[event.correlation] = Act(event, tell(event))
    return {"acts": list(acts.values())}


def chain() -> Answer:
    """Say when the chain was last checked and how it came out."""
    last = last_verification()
    events = Head.objects.filter(pk=1).values_list("number", flat=True).first() or 0
    remedy = "Run bin/workbench verify-events, best every night."
    if last is None:
        return Answer(
            WARN if events else OK,
            f"{events:,} events, never checked",
            remedy if events else "",
        )
    checked = data_of(last).get("events", 0)
    if last.verb == BROKEN:
        return Answer(
            BAD,
            f"broken when checked on {last.at:%Y-%m-%d} up to event {checked:,}",
            "Compare with a backup; see docs/operator/people-and-record.md.",
        )
    return Answer(
        OK,
        f"whole when checked on {last.at:%Y-%m-%d} up to event {checked:,} of {events:,}",
    )
