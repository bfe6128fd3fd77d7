"""Whether decisions stand on a revision: rows brought to the rule, which is `sticks` in curation/instances/meaning.py."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from django.db.models import prefetch_related_objects

from curation.instances.meaning import TEXT, Bound, Meaning, Sticks, Under, sticks
from curation.instances.models import DefinitionTerm, Placement, Revision
from curation.instances.selectors.terms import terms_of
from curation.reviews.models import Review, ReviewEnd, TermBasis

Terms = Mapping[Under, DefinitionTerm]
_BATCH = 500
_NONE: Terms = {}


@dataclass(frozen=True)
class Ground:
    """What a revision offers decisions to stand on, by definition: its text, and what it compiles to where that is known."""

    placements: Mapping[int, Placement]
    terms: Mapping[int, Terms]

    def meaning(self, placement: Placement) -> Meaning:
        terms = self.terms.get(placement.definition_id, _NONE)
        return Meaning(
            placement.meaning_hash,
            placement.own_hash,
            placement.unseen_hash,
            {under: term.term_hash for under, term in terms.items()},
        )


def ground_of(revision: Revision) -> Ground:
    """Return what `revision` offers. Two queries."""
    rows = {row.definition_id: row for row in revision.placements.all()}
    return Ground(rows, terms_of(revision))


def ground_at(placement: Placement) -> Ground:
    """Return what the revision of `placement` offers to decisions on its definition. One query."""
    terms = terms_of(placement.revision, only=placement.definition)
    return Ground({placement.definition_id: placement}, terms)


def judge(reviews: Sequence[Review], ground: Ground) -> dict[int, Sticks]:
    """Return by review whether it stands on `ground`. At most two queries, and one for each revision that was read.

    A request stands on its version of the text, a skip on the text alone; nothing stands on what was removed.
    """
    bounds = bounds_of(reviews)
    verdicts, close = {}, []
    for review in reviews:
        verdict = _judge(review, bounds[review.pk], ground)
        if verdict is Sticks.NOT_BY_TEXT and _common(bounds[review.pk], ground, review):
            close.append(review)
        verdicts[review.pk] = verdict
    read = _as_read(close)
    for review in close:
        own, unseen = read.get(review.pk, ("", ""))
        bound = replace(bounds[review.pk], own=own, unseen=unseen)
        verdicts[review.pk] = _judge(review, bound, ground)
    return verdicts


def bounds_of(reviews: Sequence[Review]) -> dict[int, Bound]:
    """Return by review what it is bound to, but for the texts that only `judge` needs. At most four queries."""
    prefetch_related_objects(reviews, "term_bases__term__build__revision")
    return {
        review.pk: Bound(
            frozenset(
                (
                    review.read_hash,
                    *(basis.meaning_hash for basis in review.term_bases.all()),
                )
            ),
            terms={
                basis.term.build.under: basis.term.term_hash
                for basis in review.term_bases.all()
            },
        )
        for review in reviews
    }


def bind(found: Iterable[tuple[Review, Ground]]) -> list[TermBasis]:
    """Bind approvals to the compiled terms of what they stand on; return the bases."""
    made = [
        TermBasis(
            review=review,
            term=term,
            meaning_hash=ground.placements[review.definition_id].meaning_hash,
        )
        for review, ground in found
        for term in ground.terms.get(review.definition_id, _NONE).values()
    ]
    TermBasis.objects.bulk_create(made, batch_size=_BATCH, ignore_conflicts=True)
    return made


def bound_words(bases: Iterable[TermBasis]) -> str:
    """Return in words what an approval with these bases is bound to. No query where `term__build` was loaded."""
    toolchains = sorted({basis.term.build.toolchain for basis in bases})
    if not toolchains:
        return "bound to text"
    return f"bound to compiled terms ({', '.join(toolchains)})"


def may_come_back(review: Review) -> bool:
    """Return whether `review`, with its `end`, is an approval that only a text below it ended: a build may bring it back."""
    end: ReviewEnd | None = getattr(review, "end", None)
    return (
        not review.standing
        and review.decision == Review.APPROVE
        and end is not None
        and end.kind == ReviewEnd.USED
        and end.basis == TEXT
        and not end.final
    )


def _judge(review: Review, bound: Bound, ground: Ground) -> Sticks:
    placement = ground.placements.get(review.definition_id)
    if placement is None:
        return Sticks.NOT_BY_TEXT
    if review.decision == Review.RETRANSLATE:
        same = placement.translation_id == review.translation_id
        return Sticks.BY_TEXT if same else Sticks.NOT_BY_TEXT
    return sticks(bound, ground.meaning(placement))


def _common(bound: Bound, ground: Ground, review: Review) -> bool:
    return bool(
        bound.terms.keys() & ground.terms.get(review.definition_id, _NONE).keys()
    )


def _as_read(reviews: Iterable[Review]) -> dict[int, tuple[str, str]]:
    """Return own and unseen hash of what each review was given on. One query for each revision."""
    several: dict[int, dict[int, list[int]]] = defaultdict(lambda: defaultdict(list))
    for review in reviews:
        several[review.revision_id][review.definition_id].append(review.pk)
    found = {}
    for revision, definitions in several.items():
        rows = Placement.objects.filter(revision=revision, definition__in=definitions)
        for key, own, unseen in rows.values_list(
            "definition_id", "own_hash", "unseen_hash"
        ):
            found.update(dict.fromkeys(definitions[key], (own, unseen)))
    return found


def stands_on(review: Review, placement: Placement) -> bool:
    """Return whether `review` stands on `placement`. At most four queries."""
    assert placement.definition_id == review.definition_id
    return judge([review], ground_at(placement))[review.pk].holds
