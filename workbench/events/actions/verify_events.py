"""Check the whole chain of events and record how it came out."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice

from django.db import transaction

from workbench.access.models import User
from workbench.events.log import broken_links, head_mark, missing_mark, record
from workbench.events.models import Head
from workbench.events.selectors import BROKEN, VERIFIED

MOST_TOLD = 100


@dataclass(frozen=True)
class Verification:
    """How the check came out: how many events, and a sentence for each of the first `MOST_TOLD` broken places.

    `head` is the mark of the newest event, that of this check, for a later check to expect.
    """

    events: int
    broken: list[str]
    head: str


def verify_events(actor: User | None, expect: str = "") -> Verification:
    """Return the verification, which is itself recorded. Reads the whole record; takes no lock while it does.

    `expect` is the mark of an event that must still be there. Raises `ValueError` if it is none.
    """
    cut = missing_mark(expect) if expect else ""
    broken = [*([cut] if cut else []), *islice(broken_links(), MOST_TOLD)]
    with transaction.atomic():
        head, _ = Head.objects.get_or_create(pk=1)
        record(
            BROKEN if broken else VERIFIED,
            actor,
            head,
            events=head.number,
            broken=len(broken),
        )
        mark = head_mark()
    return Verification(head.number, broken, mark)
