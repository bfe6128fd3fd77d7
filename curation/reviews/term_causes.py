"""Why a compiled term is not what it was: the nearest definition below it that compiles to something else by itself."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping

from curation.instances.meaning import Under
from curation.instances.models import Definition, Placement, Revision
from curation.instances.selectors.terms import terms_of
from curation.reviews.causes import uses_of
from curation.reviews.models import Review, ReviewEnd
from curation.reviews.sticking import Ground


class TermCauses:
    """What compiles to something else in `revision` than in those that approvals are bound to."""

    def __init__(self, revision: Revision, ground: Ground) -> None:
        self.revision, self.ground = revision, ground
        self.uses = uses_of(revision.pk)
        self.names = dict(
            Definition.objects.filter(instance=revision.instance_id).values_list(
                "pk", "lean_name"
            )
        )
        self._before: dict[int, Mapping[int, Mapping[Under, str]]] = {}

    def end_of(self, review: Review) -> dict[str, object]:
        """Return the fields of the `ReviewEnd` of an approval whose term differs: the way to what makes it differ."""
        path = self._path(review)
        cause = path[-1]
        kind = ReviewEnd.OWN if len(path) == 1 else ReviewEnd.USED
        base = self._base(review)
        rows = Placement.objects.filter(definition=cause)
        before = rows.filter(revision=base).first()
        after = rows.filter(revision=self.revision).first()
        return {
            "kind": kind,
            "cause_id": cause,
            "before_id": before.translation_id if before else None,
            "after_id": after.translation_id if after else None,
            "path": "\n".join(self.names[step] for step in path)
            if len(path) > 1
            else "",
        }

    def _base(self, review: Review) -> Revision:
        """Return the revision whose term the approval was bound to and that is not this one's."""
        now = self.ground.terms[review.definition_id]
        return next(
            basis.term.build.revision
            for basis in review.term_bases.all()
            if (here := now.get(basis.term.build.under)) is not None
            and here.term_hash != basis.term.term_hash
        )

    def _path(self, review: Review) -> list[int]:
        """Return the way by uses to the nearest definition that differs and uses nothing that does."""
        differing = self._differing(self._base(review)) | {review.definition_id}
        start = review.definition_id
        came: dict[int, int] = {}
        todo = deque([start])
        while todo:
            key = todo.popleft()
            below = sorted(self.uses.get(key, set()) & differing - {key})
            if not below:
                break
            for used in below:
                if used != start and used not in came:
                    came[used] = key
                    todo.append(used)
        else:
            key = start  # they differ in a circle
        path = [key]
        while path[-1] != start:
            path.append(came[path[-1]])
        return path[::-1]

    def _differing(self, base: Revision) -> set[int]:
        if base.pk not in self._before:
            self._before[base.pk] = {
                key: {under: term.term_hash for under, term in terms.items()}
                for key, terms in terms_of(base).items()
            }
        before = self._before[base.pk]
        return {
            key
            for key, terms in self.ground.terms.items()
            if any(
                before.get(key, {}).get(under, term.term_hash) != term.term_hash
                for under, term in terms.items()
            )
        }
