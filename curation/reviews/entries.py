"""The entries of the queue, derived from what the reviews say.

Whoever moves a review calls `refresh_entries` in the same transaction, before the event is recorded; whoever stores a
revision calls `place_entries`. `bin/workbench rebuild-queue` does the latter for every current revision.

The order of the queue: what is used comes before what uses it (`depth`), then what is riskier (`risk`, see risk.py).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable
from dataclasses import asdict, dataclass, replace

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from curation.instances.models import Definition, Placement, Revision, Use
from curation.reviews.layers import depths
from curation.reviews.models import (
    QueueEntry,
    Retranslation,
    Review,
    ReviewEnd,
    ReviewPolicy,
)
from curation.reviews.risk import risk_of
from curation.reviews.risk_facts import facts_of

_BATCH, _FEW = 500, 3
DERIVED = (
    "placement_id", "kind", "module", "state", "dropped", "approvals", "needed", "skipped", "risk", "risk_words",
    "depth",
)  # fmt: skip
_FIELDS = [name.removesuffix("_id") for name in DERIVED]
_STANDING = (
    "state", "dropped", "approvals", "needed", "skipped", "risk", "risk_words", "holder_id", "lease_token",
    "leased_until",
)  # fmt: skip


@dataclass(frozen=True)
class Derived:
    """What an entry must say, as far as it is derived."""

    placement_id: int
    kind: str
    module: str
    state: str
    dropped: bool
    approvals: int
    needed: int
    skipped: bool
    risk: int
    risk_words: str
    depth: int


@dataclass(frozen=True)
class Standing:
    """Where a definition stands by its reviews and requests alone. `deciders` have a standing review of it."""

    state: str
    dropped: bool
    approvals: int
    needed: int
    skipped: bool
    deciders: frozenset[int]


@transaction.atomic
def place_entries(revision: Revision) -> int:
    """Give each placement of `revision` (the current one) its entry; return how many entries were not as they must be.

    The harness has none. Entries of definitions that are not in the revision go; leases and assignments stay.
    """
    known = {
        entry.definition_id: entry
        for entry in QueueEntry.objects.select_for_update()
        .filter(instance=revision.instance_id)
        .order_by("pk")
    }
    wanted = expected(revision)
    gone = [entry.pk for key, entry in known.items() if key not in wanted]
    for start in range(0, len(gone), _BATCH):
        QueueEntry.objects.filter(pk__in=gone[start : start + _BATCH]).delete()
    moved, relocated = [], []
    for key, derived in wanted.items():
        entry = known.get(key)
        row = QueueEntry(
            definition_id=key, instance_id=revision.instance_id, **asdict(derived)
        )
        if entry is None or _waits(entry) != _waits(derived):
            moved.append(row)
        elif _differs(entry, derived):
            relocated.append(row)
    _put(moved, [*_FIELDS, "changed_at"])
    _put(relocated, _FIELDS)
    _end_leases(revision.instance_id)
    return len(gone) + len(moved) + len(relocated)


@transaction.atomic(savepoint=False)
def refresh_entries(definition_ids: Iterable[int]) -> None:
    """Bring the entries of those definitions in line with their standing reviews, requests and policies.

    Locks the entries. A lease ends where nothing is left to decide for its holder. Five queries, and some more where
    an approval dropped or came back.
    """
    ids = set(definition_ids)
    entries = list(
        QueueEntry.objects.select_for_update().filter(definition__in=ids).order_by("pk")
    )
    by_instance: dict[int, list[QueueEntry]] = defaultdict(list)
    for entry in entries:
        by_instance[entry.instance_id].append(entry)
    moved = []
    for instance_id, some in by_instance.items():
        kinds = {entry.definition_id: entry.kind for entry in some}
        found = standings(instance_id, kinds, only=kinds)
        flipped = {
            entry.definition_id
            for entry in some
            if found[entry.definition_id].dropped != entry.dropped
        }
        risks = _risks(instance_id, flipped, found) if flipped else {}
        for entry in some:
            standing = found[entry.definition_id]
            before = [getattr(entry, name) for name in _STANDING]
            if _waits(entry) != (standing.state, standing.dropped):
                entry.changed_at = timezone.now()
            _set_standing(entry, standing)
            if entry.definition_id in risks:
                entry.risk, entry.risk_words = risks[entry.definition_id]
            if before != [getattr(entry, name) for name in _STANDING]:
                moved.append(entry)
    _save(moved)


def _save(moved: list[QueueEntry]) -> None:
    if len(moved) > _FEW:
        fields = [name.removesuffix("_id") for name in _STANDING] + ["changed_at"]
        QueueEntry.objects.bulk_update(moved, fields, batch_size=100)
        return
    for entry in moved:  # a plain UPDATE is made several times as fast
        QueueEntry.objects.filter(pk=entry.pk).update(
            changed_at=entry.changed_at,
            **{name: getattr(entry, name) for name in _STANDING},
        )


def refresh_risk(revision: Revision, definition: Definition | None) -> None:
    """Weigh `definition` anew (None: all of `revision`, the current one), after its links to the source changed."""
    if definition is None:
        place_entries(revision)
        return
    entry = QueueEntry.objects.filter(definition=definition).first()
    if entry is None:
        return
    placement = list(_reviewable(revision).filter(definition=definition))
    facts = facts_of(revision, placement, only=[definition.pk])
    for one in facts.values():
        points, words = risk_of(replace(one, dropped=entry.dropped))
        QueueEntry.objects.filter(pk=entry.pk).update(risk=points, risk_words=words)


def expected(revision: Revision) -> dict[int, Derived]:
    """Return what the entries of `revision` must say, by definition. Nine queries."""
    placements = list(_reviewable(revision))
    kinds = {row.definition_id: row.kind for row in placements}
    found = standings(revision.instance_id, kinds)
    uses = Use.objects.filter(revision=revision, indirect=False)
    deep = depths(kinds, uses.values_list("user_id", "used_id"))
    facts = facts_of(revision, placements)
    result = {}
    for row in placements:
        standing = found[row.definition_id]
        points, words = risk_of(
            replace(facts[row.definition_id], dropped=standing.dropped)
        )
        result[row.definition_id] = Derived(
            row.pk,
            row.kind,
            row.module,
            standing.state,
            standing.dropped,
            standing.approvals,
            standing.needed,
            standing.skipped,
            points,
            words,
            deep[row.definition_id],
        )
    return result


def standings(
    instance_id: int, kinds: dict[int, str], *, only: Collection[int] | None = None
) -> dict[int, Standing]:
    """Return where each definition of `kinds` (id to kind) stands. Three queries.

    `only` narrows the queries to those ids; leave it out for a whole instance.
    """
    reviews = Review.objects.filter(instance=instance_id)
    requests = Retranslation.objects.filter(
        definition__instance=instance_id, state=Retranslation.OPEN
    )
    if only is not None:
        reviews = reviews.filter(definition__in=only)
        requests = requests.filter(definition__in=only)
    policies = dict(
        ReviewPolicy.objects.filter(instance=instance_id).values_list(
            "kind", "approvals"
        )
    )
    sent_back = set(requests.values_list("definition_id", flat=True))
    told: dict[int, list[_Told]] = defaultdict(list)
    rows = reviews.order_by("pk").values_list(
        "definition_id", "reviewer_id", "decision", "standing", "end__kind"
    )
    for definition, reviewer, decision, standing, end in rows:
        told[definition].append(_Told(reviewer, decision, standing, end))
    return {
        definition: _standing(
            told[definition], policies.get(kind, 1), definition in sent_back
        )
        for definition, kind in kinds.items()
    }


@dataclass(frozen=True)
class _Told:
    reviewer: int
    decision: str
    standing: bool
    end: str | None


def _standing(reviews: list[_Told], needed: int, sent_back: bool) -> Standing:
    standing = [review for review in reviews if review.standing]
    approvals = sum(review.decision == Review.APPROVE for review in standing)
    if needed == 0:
        state = QueueEntry.EXEMPT
    elif sent_back:
        state = QueueEntry.SENT_BACK
    elif approvals >= needed:
        state = QueueEntry.APPROVED
    else:
        state = QueueEntry.OPEN
    return Standing(
        state,
        state == QueueEntry.OPEN and _dropped(reviews),
        approvals,
        needed,
        any(review.decision == Review.SKIP for review in standing),
        frozenset(review.reviewer for review in standing),
    )


def _dropped(reviews: list[_Told]) -> bool:
    """Return whether a change ended an approval, and nobody decided for its reviewer, or sent it back, since then."""
    fallen: set[int] = set()
    for review in reviews:
        if review.end == ReviewEnd.UNDONE or review.decision == Review.SKIP:
            continue
        if review.decision == Review.RETRANSLATE:
            fallen.clear()
        elif review.end in (ReviewEnd.OWN, ReviewEnd.USED):
            fallen.add(review.reviewer)
        else:
            fallen.discard(review.reviewer)
    return bool(fallen)


def _reviewable(revision: Revision) -> QuerySet[Placement]:
    return (
        Placement.objects.filter(revision=revision)
        .exclude(kind=Definition.HARNESS)
        .select_related("definition")
        .only(
            "kind", "module", "line_start", "line_end", "definition__path", "revision"
        )
    )


def _risks(
    instance_id: int, definitions: set[int], found: dict[int, Standing]
) -> dict[int, tuple[int, str]]:
    revision = Revision.objects.get(instance=instance_id, is_current=True)
    rows = list(_reviewable(revision).filter(definition__in=definitions))
    facts = facts_of(revision, rows, only=definitions)
    return {
        key: risk_of(replace(one, dropped=found[key].dropped))
        for key, one in facts.items()
    }


def _differs(entry: QueueEntry, wanted: Derived) -> bool:
    return any(getattr(entry, name) != getattr(wanted, name) for name in DERIVED)


def _waits(row: QueueEntry | Derived) -> tuple[str, bool]:
    """Return what the entry waits for; `changed_at` tells since when."""
    return row.state, row.dropped


def _put(rows: list[QueueEntry], fields: list[str]) -> None:
    """Write `rows` over those of the same definitions; what is not in `fields` stays as it is."""
    QueueEntry.objects.bulk_create(
        rows,
        batch_size=_BATCH,
        update_conflicts=True,
        unique_fields=["definition"],
        update_fields=fields,
    )


def _set_standing(entry: QueueEntry, standing: Standing) -> None:
    entry.state = standing.state
    entry.dropped = standing.dropped
    entry.approvals = standing.approvals
    entry.needed = standing.needed
    entry.skipped = standing.skipped
    decided = entry.holder_id in standing.deciders
    if entry.holder_id is not None and (standing.state != QueueEntry.OPEN or decided):
        entry.holder_id, entry.lease_token, entry.leased_until = None, "", None


def _end_leases(instance_id: int) -> None:
    """End the leases of what nobody can decide on any more."""
    QueueEntry.objects.filter(instance=instance_id, holder__isnull=False).exclude(
        state=QueueEntry.OPEN
    ).update(holder=None, lease_token="", leased_until=None)
