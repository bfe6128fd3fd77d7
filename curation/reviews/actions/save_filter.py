"""Keep the filters of a list under a name, or forget them. A person's own business: others never see them."""

from __future__ import annotations

from django.db import transaction

from curation.reviews.models import SavedFilter
from curation.reviews.selectors.queue import QueueFilter
from workbench.access.models import User
from workbench.events.log import record

MOST = 30
LONGEST_NAME, LONGEST_QUERY = 80, 2000


class BadFilter(ValueError):
    """The name or the filters cannot be kept. The text says why."""


@transaction.atomic
def save_filter(person: User, name: str, query: str) -> SavedFilter:
    """Return the filter `name` of the queue for `person`; one of that name is replaced. Raises `BadFilter`."""
    name = " ".join(name.split())
    text = QueueFilter.from_text(query).query().removeprefix("?")
    if not name or "\0" in name:
        raise BadFilter(f"Give it a name of at most {LONGEST_NAME} characters.")
    if len(name) > LONGEST_NAME:
        raise BadFilter(
            f"The name has {len(name)} characters; at most {LONGEST_NAME} are kept."
        )
    if len(text) > LONGEST_QUERY:
        raise BadFilter("These are more filters than can be kept under a name.")
    User.objects.select_for_update(no_key=True).get(pk=person.pk)
    kept = SavedFilter.objects.filter(person=person, page="queue")
    if not kept.filter(name=name).exists() and kept.count() >= MOST:
        raise BadFilter(f"You keep {MOST} filters already; forget one first.")
    saved, _ = SavedFilter.objects.update_or_create(
        person=person, page="queue", name=name, defaults={"query": text}
    )
    record("filter.saved", person, person, name=name, query=text)
    return saved


@transaction.atomic
def forget_filter(person: User, saved: SavedFilter) -> None:
    """Forget a filter of one's own; one that is gone already is no event."""
    deleted, _ = SavedFilter.objects.filter(pk=saved.pk, person=person).delete()
    if deleted:
        record("filter.forgotten", person, person, name=saved.name)
