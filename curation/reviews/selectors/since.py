"""What is new for one person: in the text, and in what it uses."""

from __future__ import annotations

from dataclasses import dataclass

from curation.instances.models import (
    Definition,
    Placement,
    Reliance,
    Revision,
    Translation,
    Use,
)

MOST = 5_000
"""Definitions below one that are looked at: what a reader can take in ends long before."""


@dataclass(frozen=True)
class ChangedUse:
    """Something that the definition uses is not as it was. `path` leads there, by uses, both ends included.

    `before` or `after` is None where it came or went.
    """

    path: tuple[Definition, ...]
    before: Translation | None
    after: Translation | None

    @property
    def definition(self) -> Definition:
        return self.path[-1]

    @property
    def steps(self) -> list[str]:
        """The short names on the way, the definition itself first."""
        return [step.short_name for step in self.path]

    @property
    def word(self) -> str:
        if self.before is None:
            return "is new"
        return "is gone" if self.after is None else "changed"


def changed_uses(placement: Placement, older: Revision) -> list[ChangedUse]:
    """Return what `placement`'s definition uses and what differs in meaning from revision `older`, nearest first.

    The definition itself is left out: its own text is a difference of its own. Comments do not count. At most seven
    queries.
    """
    now = placement.revision
    if older.pk == now.pk:
        return []
    new, old = _owns(now), _owns(older)
    changed = {
        key
        for key in new.keys() | old.keys()
        if new.get(key) != old.get(key) and key != placement.definition_id
    }
    if not changed:
        return []
    ways = _ways(placement.definition_id, [now, older], changed)
    rows = Definition.objects.in_bulk({key for way in ways for key in way})
    placed = _placed([now, older], {way[-1] for way in ways})
    return [
        ChangedUse(
            tuple(rows[key] for key in way if key in rows),
            placed.get((older.pk, way[-1])),
            placed.get((now.pk, way[-1])),
        )
        for way in ways
    ]


def _owns(revision: Revision) -> dict[int, str]:
    rows = Placement.objects.filter(revision=revision).order_by()
    return dict(rows.values_list("definition_id", "own_hash"))


def _ways(
    start: int, revisions: list[Revision], changed: set[int]
) -> list[tuple[int, ...]]:
    """Return the shortest way by uses from `start` to each of `changed` that it reaches, nearest first."""
    uses: dict[int, list[int]] = {}
    named = Use.objects.filter(revision__in=revisions, indirect=False).order_by("pk")
    unsaid = Reliance.objects.filter(revision__in=revisions).order_by("pk")
    for edges in (named, unsaid):
        for user, used in edges.values_list("user_id", "used_id"):
            uses.setdefault(user, []).append(used)
    came = {start: 0}
    found = []
    todo = [start]
    for key in todo:
        for used in uses.get(key, ()):
            if used not in came and len(came) < MOST:
                came[used] = key
                todo.append(used)
                if used in changed:
                    found.append(used)
    return [_way(came, key, start) for key in found]


def _way(came: dict[int, int], key: int, start: int) -> tuple[int, ...]:
    way = [key]
    while way[-1] != start:
        way.append(came[way[-1]])
    return tuple(reversed(way))


def _placed(
    revisions: list[Revision], keys: set[int]
) -> dict[tuple[int, int], Translation]:
    rows = Placement.objects.filter(revision__in=revisions, definition__in=keys)
    return {
        (row.revision_id, row.definition_id): row.translation
        for row in rows.select_related("translation").defer("translation__text")
    }
