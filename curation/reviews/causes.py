"""Why a meaning changed from one revision to the next: the nearest definition that changed, and the way to it."""

from __future__ import annotations

from collections import defaultdict, deque
from dataclasses import dataclass

from curation.instances.models import (
    Definition,
    Placement,
    Reliance,
    Revision,
    Use,
)


@dataclass(frozen=True)
class Cause:
    """`definition` changed, from translation `before` to `after` (None: it came or went).

    `path` leads to it by uses, from the definition that is asked about; both ends included.
    """

    definition: int
    path: tuple[int, ...]
    before: int | None
    after: int | None


class Causes:
    """What changed between two revisions, and for every definition the nearest change among all that it uses."""

    def __init__(
        self,
        old: dict[int, Placement],
        new: dict[int, Placement],
        uses: dict[int, set[int]],
        regrouped: set[int],
    ) -> None:
        self.old, self.new = old, new
        changed = {
            key
            for key in old.keys() | new.keys()
            if key not in old
            or key not in new
            or old[key].own_hash != new[key].own_hash
        }
        self.next: dict[int, int] = {}
        self.names: dict[int, str] = {}
        self._reach(sorted(changed, key=self._place), uses)
        # No text changed, but what a name means did: the imports or the names of a file moved.
        self._reach(sorted(regrouped - self.next.keys(), key=self._place), uses)

    def of(self, definition: int) -> Cause | None:
        """Return the nearest change that `definition` depends on, itself first; None where nothing changed."""
        if definition not in self.next:
            return None
        path = [definition]
        while self.next[path[-1]] != path[-1]:
            path.append(self.next[path[-1]])
        before, after = self.old.get(path[-1]), self.new.get(path[-1])
        return Cause(
            path[-1],
            tuple(path),
            before.translation_id if before else None,
            after.translation_id if after else None,
        )

    def name(self, definition: int) -> str:
        """Return the Lean name of a definition of either revision."""
        if not self.names:
            ids = self.old.keys() | self.new.keys()
            instance = next(
                iter((self.new or self.old).values())
            ).definition.instance_id
            rows = Definition.objects.filter(instance=instance)
            self.names = {
                key: name
                for key, name in rows.values_list("pk", "lean_name")
                if key in ids
            }
        return self.names[definition]

    def _place(self, key: int) -> tuple[int, int]:
        row = self.new.get(key) or self.old[key]
        return row.position, key

    def _reach(self, roots: list[int], uses: dict[int, set[int]]) -> None:
        """Note for all that reach a root by uses, and are not reached yet, the next step towards the nearest one."""
        users: dict[int, list[int]] = defaultdict(list)
        for user, several in uses.items():
            for used in several:
                users[used].append(user)
        todo = deque(root for root in roots if root not in self.next)
        for root in todo:
            self.next[root] = root
        while todo:
            used = todo.popleft()
            for user in sorted(users.get(used, ()), key=self._place):
                if user not in self.next:
                    self.next[user] = used
                    todo.append(user)


def causes_of(revision: Revision, older: Revision | None = None) -> Causes:
    """Return what `revision` changed against `older` (None: its parent). Six queries, and one for the names."""
    before_id = older.pk if older else revision.parent_id
    old, old_uses = _placements(before_id), uses_of(before_id)
    new, new_uses = _placements(revision.pk), uses_of(revision.pk)
    both = {
        key: old_uses.get(key, set()) | new_uses.get(key, set())
        for key in old_uses.keys() | new_uses.keys()
    }
    regrouped = {
        key
        for key in old.keys() & new.keys()
        if old_uses.get(key, set()) != new_uses.get(key, set())
    }
    return Causes(old, new, both, regrouped)


def _placements(revision: int | None) -> dict[int, Placement]:
    if revision is None:
        return {}
    rows = Placement.objects.filter(revision=revision).select_related("definition")
    return {row.definition_id: row for row in rows}


def uses_of(revision: int | None) -> dict[int, set[int]]:
    """Return what each definition relies on, named or not."""
    found: dict[int, set[int]] = defaultdict(set)
    if revision is not None:
        named = Use.objects.filter(revision=revision, indirect=False)
        unsaid = Reliance.objects.filter(revision=revision)
        for rows in (named, unsaid):
            for user, used in rows.values_list("user_id", "used_id"):
                found[user].add(used)
    return dict(found)
