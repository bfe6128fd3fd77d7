"""Check the whole chain of events and record how it came out."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice

from django.db import transaction

from workbench.access.models import User
from workbench.events.log import broken_links, record
from workbench.events.models import Head
from workbench.events.selectors import BROKEN, VERIFIED

MOST_TOLD = 100


@dataclass(frozen=True)
class Verification:
    """How the check came out: how many events, and a sentence for each of the first `MOST_TOLD` broken places."""

    events: int
    broken: list[str]


def verify_events(actor: User | None) -> Verification:
    """Return the verification, which is itself recorded. Reads the whole record; takes no lock while it does."""
    broken = list(islice(broken_links(), MOST_TOLD))
    with transaction.atomic():
        head, _ = Head.objects.get_or_create(pk=1)
        record(
            BROKEN if broken else VERIFIED,
            actor,
            head,
            events=head.number,
            broken=len(broken),
        )
    return Verification(head.number, broken)
