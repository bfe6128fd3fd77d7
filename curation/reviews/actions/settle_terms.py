"""Settle the approvals of an instance when a build told what a revision compiles to (see contributions.after_terms).

What text decided stands until then. A build binds approvals to terms; it ends those whose term is another one, though
no text told so; and it lets those count again that fell only since a text changed that compiles to the same.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from curation.instances.meaning import TERM, Bound, Sticks, Under
from curation.instances.models import DefinitionTerm, Revision
from curation.reviews.actions.restore_review import say_again
from curation.reviews.actions.settle_revision import Ended, record_drops, tell_drops
from curation.reviews.deciding import wrote
from curation.reviews.entries import refresh_entries
from curation.reviews.models import Notification, Review, ReviewEnd
from curation.reviews.notify import tell
from curation.reviews.sticking import (
    Ground,
    bind,
    bound_words,
    bounds_of,
    ground_of,
    judge,
    may_come_back,
)
from curation.reviews.term_causes import TermCauses
from workbench.access.rights import allowed
from workbench.access.roles import REVIEW
from workbench.events.log import record

_BATCH = 500


def settle_terms(revision: Revision) -> None:
    """Bind, end and bring back approvals by what a build of `revision` told. Part of an action that holds the instance.

    Only the current revision decides; an older one that is built late says what approvals given on it were bound to.
    """
    current = Revision.objects.select_related("instance").get(
        instance=revision.instance_id, is_current=True
    )
    ground = ground_of(current)
    built = ground if revision.pk == current.pk else ground_of(revision)
    reviews = _open_to_terms(revision.instance_id, built.terms)
    _bind(reviews, built)
    verdicts = judge(reviews, ground)
    fallen = [
        review
        for review in reviews
        if review.standing and verdicts[review.pk] is Sticks.NOT_BY_TERM
    ]
    same = [
        review
        for review in reviews
        if not review.standing and verdicts[review.pk] is Sticks.BY_TERM
    ]
    dropped = _end(current, ground, fallen)
    again = [
        (review, _count_again(review, ground))
        for review in _may_count_again(same, ground)
    ]
    refresh_entries(
        {one.definition_id for one in (*fallen, *(old for old, _ in again))}
    )
    tell_drops(None, dropped)
    _tell_again(current, again)
    record_drops(None, current, dropped)
    for old, review in again:
        record(
            "review.restored",
            None,
            review.definition,
            implicit=True,
            reason=f"r{current.number} compiles to the same terms",
            decision=review.decision,
            review=review.pk,
            of=old.pk,
            reviewer=review.reviewer.username,
            basis=TERM,
            bound=_words(review),
            revision=current.number,
        )


def _open_to_terms(instance: int, definitions: Iterable[int]) -> list[Review]:
    """Return the approvals of `definitions` that stand, and those that only a text's change below them ended.

    Of each person's decisions on a definition the last one counts: what they, or a maintainer, took back or decided
    anew is not to come back by itself.
    """
    wanted = set(definitions)
    last: dict[tuple[int, int], int] = {}
    rows = Review.objects.filter(instance=instance).order_by("pk")
    for definition, reviewer, pk in rows.values_list("definition", "reviewer", "pk"):
        if definition in wanted:
            last[definition, reviewer] = pk
    keys = sorted(last.values())
    found: list[Review] = []
    for start in range(0, len(keys), _BATCH):
        some = Review.objects.filter(
            pk__in=keys[start : start + _BATCH], decision=Review.APPROVE
        )
        found += some.select_related(
            "definition__instance", "reviewer", "revision", "end"
        )
    return [review for review in found if review.standing or may_come_back(review)]


def _bind(reviews: Sequence[Review], built: Ground) -> None:
    """Bind to the built revision's terms what holds on its text and is not bound under such a toolchain yet."""
    bounds = bounds_of(reviews)
    wanted = []
    for review in reviews:
        placement = built.placements.get(review.definition_id)
        if placement is None or placement.meaning_hash not in bounds[review.pk].texts:
            continue
        terms = {
            under: term
            for under, term in built.terms[review.definition_id].items()
            if under not in bounds[review.pk].terms
        }
        wanted.append((review, Ground(built.placements, {review.definition_id: terms})))
    if bind(wanted):
        for review, _ in wanted:
            _forget_bases(review)


def _forget_bases(review: Review) -> None:
    """Let the bases be read anew."""
    getattr(review, "_prefetched_objects_cache", {}).pop("term_bases", None)


def _end(current: Revision, ground: Ground, fallen: Sequence[Review]) -> list[Ended]:
    if not fallen:
        return []
    causes = TermCauses(current, ground)
    ends = [
        ReviewEnd(review=review, revision=current, basis=TERM, **causes.end_of(review))
        for review in fallen
    ]
    keys = [review.pk for review in fallen]
    for start in range(0, len(keys), _BATCH):
        Review.objects.filter(pk__in=keys[start : start + _BATCH]).update(
            standing=False
        )
    ReviewEnd.objects.bulk_create(ends, batch_size=_BATCH)
    return [Ended(review, end) for review, end in zip(fallen, ends, strict=True)]


def _may_count_again(reviews: Sequence[Review], ground: Ground) -> list[Review]:
    """Cut to those that nothing else speaks against: another term in between, a right lost, a text of their own."""
    bounds = bounds_of(reviews)
    between = _told_since(reviews)
    return [
        review
        for review in reviews
        if not _told_otherwise(review, bounds[review.pk], between)
        and allowed(review.reviewer, REVIEW, review.definition.instance)
        and not wrote(
            review.reviewer, ground.placements[review.definition_id].translation
        )
    ]


_Told = dict[int, list[tuple[int, Under, str]]]


def _told_since(reviews: Sequence[Review]) -> _Told:
    """Return what builds told of the definitions of `reviews`: number of the revision, toolchain and scheme, hash."""
    found: _Told = defaultdict(list)
    keys = sorted({review.definition_id for review in reviews})
    for start in range(0, len(keys), _BATCH):
        rows = DefinitionTerm.objects.filter(
            definition__in=keys[start : start + _BATCH]
        ).select_related("build__revision")
        for row in rows:
            found[row.definition_id].append(
                (row.build.revision.number, row.build.under, row.term_hash)
            )
    return found


def _told_otherwise(review: Review, bound: Bound, told: _Told) -> bool:
    """Return whether a revision since the one that was read compiled to something else: then a person decides."""
    return any(
        number > review.revision.number
        and under in bound.terms
        and term_hash != bound.terms[under]
        for number, under, term_hash in told[review.definition_id]
    )


def _count_again(review: Review, ground: Ground) -> Review:
    again = say_again(review)
    bind([(again, ground)])
    return again


def _tell_again(current: Revision, again: Sequence[tuple[Review, Review]]) -> None:
    for _, review in again:
        words = (
            f"Your approval counts again: r{current.number} compiles to the same terms."
        )
        tell(
            [review.reviewer],
            Notification.AGAIN,
            review.definition,
            words,
            anchor="decisions",
        )


def _words(review: Review) -> str:
    return bound_words(review.term_bases.select_related("term__build"))
