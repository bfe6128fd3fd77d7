"""What one bulk act would do: exactly which definitions, and which are left out for what reason."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import QuerySet

from curation.instances.models import Instance
from curation.instances.selectors.instances import with_right
from curation.reviews.deciding import wrote
from curation.reviews.leases import is_held
from curation.reviews.models import QueueEntry, Review
from curation.reviews.selectors.queue import ORDER, QueueFilter, entries_seen
from workbench.access.models import User
from workbench.access.roles import MAINTAIN, REVIEW, VIEW
from workbench.bulk import MOST
from workbench.numbers import whole_number

APPROVE, ASSIGN, REOPEN = "approve", "assign", "reopen"


@dataclass(frozen=True)
class Read:
    """One definition as the preview showed it: a bulk act binds to the text and to what it uses, as an approval does."""

    definition: int
    number: int
    read_hash: str

    def __str__(self) -> str:
        return f"{self.definition}:{self.number}:{self.read_hash}"

    @classmethod
    def parse(cls, text: str) -> Read | None:
        """Return what a form field says, None for what no form of ours says."""
        first, _, rest = text.partition(":")
        second, _, read_hash = rest.partition(":")
        definition, number = whole_number(first), whole_number(second, digits=9)
        if definition is None or number is None or len(read_hash) > 64:
            return None
        return cls(definition, number, read_hash.replace("\0", ""))


@dataclass(frozen=True)
class Chosen:
    """A definition that the act would touch."""

    entry: QueueEntry
    read: Read


@dataclass(frozen=True)
class LeftOut:
    """A definition that was selected and that the act would not touch, with the reason in words."""

    entry: QueueEntry
    why: str


@dataclass(frozen=True)
class Preview:
    """What a bulk act would do. `beyond`: more were selected than one act takes; the first in order are here."""

    verb: str
    chosen: Sequence[Chosen]
    left_out: Sequence[LeftOut]
    beyond: bool

    @property
    def reasons(self) -> list[tuple[str, int]]:
        """Why so many are left out, most frequent first."""
        found: dict[str, int] = {}
        for one in self.left_out:
            found[one.why] = found.get(one.why, 0) + 1
        return sorted(found.items(), key=lambda pair: -pair[1])


def selected(
    user: User, ids: Sequence[int], wanted: QueueFilter | None
) -> QuerySet[QueueEntry]:
    """Return the entries that were ticked, or all that `wanted` lets through, as far as `user` sees them."""
    if wanted is not None:
        rows = entries_seen(user, wanted)
    else:
        visible = Instance.objects.visible_to(user, VIEW)
        rows = QueueEntry.objects.filter(definition__in=ids, instance__in=visible)
    return rows.select_related(
        "definition", "instance", "assignee", "holder", "placement__translation"
    ).defer("placement__translation__text")


def preview(
    user: User, verb: str, rows: QuerySet[QueueEntry], assignee: User | None = None
) -> Preview:
    """Return what `verb` would do to `rows`. Five queries.

    The rules are those of the actions, which ask again when it is done; here they are asked of all at once.
    """
    found = list(rows.order_by(*ORDER)[: MOST + 1])
    entries = found[:MOST]
    instances = {entry.instance_id for entry in entries}
    who = assignee if verb == ASSIGN and assignee is not None else user
    own_rights = with_right(user, REVIEW, instances)
    rights = with_right(who, REVIEW, instances) if who != user else own_rights
    maintained = (
        with_right(user, MAINTAIN, instances) if verb == REOPEN else frozenset()
    )
    standing = _standing(entries)
    chosen, left_out = [], []
    for entry in entries:
        why = ""
        if entry.instance_id not in own_rights:
            why = "you may not review there"
        elif verb == APPROVE:
            why = _not_approved(user, entry, standing[entry.definition_id])
        elif verb == ASSIGN:
            why = _not_assigned(assignee, entry, rights)
        else:
            may_all = entry.instance_id in maintained
            why = _not_reopened(user, standing[entry.definition_id], may_all)
        if why:
            left_out.append(LeftOut(entry, why))
        else:
            placement = entry.placement
            read = Read(
                entry.definition_id,
                placement.translation.number,
                placement.meaning_hash,
            )
            chosen.append(Chosen(entry, read))
    return Preview(verb, chosen, left_out, len(found) > MOST)


def _standing(entries: Sequence[QueueEntry]) -> dict[int, list[Review]]:
    found: dict[int, list[Review]] = {entry.definition_id: [] for entry in entries}
    rows = Review.objects.filter(definition__in=found, standing=True)
    for review in rows.select_related("reviewer"):
        found[review.definition_id].append(review)
    return found


def why_not_waiting(user: User, entry: QueueEntry) -> str:
    """Return why `entry` is not open for a bulk approval by `user`, "" where it is. No query where `holder` was joined."""
    if entry.state == QueueEntry.SENT_BACK:
        return "sent back: a new version is awaited"
    if entry.state != QueueEntry.OPEN:
        return entry.get_state_display()
    if is_held(entry) and entry.holder_id != user.pk:
        assert entry.holder is not None
        return f"{entry.holder.display_name} reads it now"
    return ""


def _not_approved(user: User, entry: QueueEntry, reviews: list[Review]) -> str:
    why = why_not_waiting(user, entry)
    if why:
        return why
    if wrote(user, entry.placement.translation):
        return "you wrote it; somebody else has to approve it"
    if any(
        review.reviewer_id == user.pk and review.decision == Review.APPROVE
        for review in reviews
    ):
        return "you approved it already; it needs somebody else as well"
    return ""


def _not_assigned(
    assignee: User | None, entry: QueueEntry, rights: frozenset[int]
) -> str:
    if entry.assignee_id == (assignee.pk if assignee else None):
        name = assignee.display_name if assignee else "nobody in particular"
        return f"given to {name} already"
    if assignee is None:
        return ""
    if entry.instance_id not in rights:
        return f"{assignee.display_name} may not review there"
    if wrote(assignee, entry.placement.translation):
        return f"{assignee.display_name} wrote it"
    return ""


def _not_reopened(user: User, reviews: list[Review], may_all: bool) -> str:
    ended = reopened(reviews)
    if not ended:
        return "nobody has approved or skipped it: it waits already"
    others = [review for review in ended if review.reviewer_id != user.pk]
    if others and not may_all:
        name = others[0].reviewer.display_name
        return f"{name} decided; a maintainer takes back others' decisions"
    return ""


def reopened(reviews: Sequence[Review]) -> list[Review]:
    """Return those of the standing `reviews` that re-opening ends: approvals and skips."""
    return [one for one in reviews if one.decision in (Review.APPROVE, Review.SKIP)]
