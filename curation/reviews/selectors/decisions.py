"""The decisions on a definition as its page lists them: what became of each, and what an approval is bound to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Prefetch, prefetch_related_objects

from curation.reviews.actions.settle_revision import why
from curation.reviews.models import Review, ReviewEnd, TermBasis
from curation.reviews.sticking import bound_words

SHOWN = 12
_TONES = {Review.APPROVE: "ok", Review.RETRANSLATE: "bad", Review.SKIP: "off"}


@dataclass(frozen=True)
class Told:
    """One decision. `bound` is "" for what is no approval, `ended` for what counts; `again`: it continues one that had ended."""

    review: Review
    tone: str
    word: str
    bound: str
    ended: str
    again: bool


def decisions_of(reviews: Sequence[Review]) -> list[Told]:
    """Return the newest of `reviews` (those of `reviews_of`, newest first) as told on the page. At most one query."""
    shown = list(reviews[:SHOWN])
    bases = TermBasis.objects.select_related("term__build")
    approvals = [one for one in shown if one.decision == Review.APPROVE]
    prefetch_related_objects(approvals, Prefetch("term_bases", bases))
    return [_told(review) for review in shown]


def bound_now(told: Sequence[Told]) -> str:
    """Return in words what the approvals that count are bound to, "" where none does."""
    words = {one.bound: None for one in told if one.bound and one.review.standing}
    return "; ".join(words)


def _told(review: Review) -> Told:
    approval = review.decision == Review.APPROVE
    return Told(
        review,
        _TONES[review.decision] if review.standing else "na",
        review.get_decision_display(),
        bound_words(review.term_bases.all()) if approval else "",
        "" if review.standing else _ended(review.end),
        review.continues_id is not None,
    )


def _ended(end: ReviewEnd) -> str:
    words = why(end)
    if end.revision_id is not None and end.revision is not None:
        words += f" (r{end.revision.number})"
    return f"{words}; taken back since" if end.final else words
