"""Which decisions a change of a definition's meaning would take away: told before anything is saved."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

from curation.instances.models import Placement, Reliance, Use
from curation.reviews.models import Review


@dataclass(frozen=True)
class Stake:
    """The standing approvals that would fall, own ones of the definition first, then by name."""

    approvals: list[Review]

    @property
    def number(self) -> int:
        return len(self.approvals)

    @property
    def names(self) -> list[str]:
        """The short names of the definitions that would lose an approval, each once."""
        return list(
            dict.fromkeys(review.definition.short_name for review in self.approvals)
        )


def at_stake(placement: Placement) -> Stake:
    """Return what falls if the meaning of `placement`, a current one, changes. Three queries."""
    users: dict[int, list[int]] = defaultdict(list)
    named = Use.objects.filter(revision=placement.revision_id, indirect=False)
    unsaid = Reliance.objects.filter(revision=placement.revision_id)
    for edges in (named, unsaid):
        for user, used in edges.values_list("user_id", "used_id"):
            users[used].append(user)
    reached = {placement.definition_id}
    todo = [placement.definition_id]
    for used in todo:
        for user in users.get(used, ()):
            if user not in reached:
                reached.add(user)
                todo.append(user)
    rows = Review.objects.filter(
        instance=placement.definition.instance_id,
        standing=True,
        decision=Review.APPROVE,
    ).select_related("definition", "reviewer")
    found = [review for review in rows if review.definition_id in reached]
    return Stake(
        sorted(
            found,
            key=lambda review: (
                review.definition_id != placement.definition_id,
                review.definition.lean_name,
                review.pk,
            ),
        )
    )
