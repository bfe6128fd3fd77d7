"""What the review page says about decisions: the state in one word, what dropped and why, what each version met with."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from curation.instances.meaning import TERM
from curation.instances.models import Definition, Placement, Translation
from curation.reviews.models import QueueEntry, Retranslation, Review, ReviewEnd
from workbench.access.models import User

_SHOWN = 60
_STATE = {
    QueueEntry.OPEN: ("off", "to review"),
    QueueEntry.SENT_BACK: ("bad", "sent back"),
    QueueEntry.APPROVED: ("ok", "approved"),
    QueueEntry.EXEMPT: ("na", "needs no review"),
}


@dataclass(frozen=True)
class State:
    """Where a definition stands, as tone and word, with who decided so."""

    tone: str
    word: str
    by: str = ""


@dataclass(frozen=True)
class Drop:
    """An approval that fell: whose, of which version, and the names from the definition to the one that changed."""

    review: Review
    end: ReviewEnd
    mine: bool

    @property
    def why(self) -> str:
        if self.end.basis == TERM:
            what = "with the same text, it" if self.own else "something that it uses"
            return f"{what} compiles to something else"
        if self.own and self.end.before_id == self.end.after_id:
            return "the commands around it changed (open, variable, notation)"
        return str(dict(ReviewEnd.CAUSES)[self.end.kind])

    @property
    def own(self) -> bool:
        return self.end.kind == ReviewEnd.OWN


def reviews_of(definition: Definition) -> list[Review]:
    """Return the newest decisions on `definition` with what ended them, newest first. One query."""
    rows = Review.objects.filter(definition=definition).select_related(
        "reviewer", "translation", "retranslation", "end__cause", "end__before", "end__after",
        "end__revision",
    )  # fmt: skip
    rows = rows.defer("translation__text", "end__before__text", "end__after__text")
    return list(rows.order_by("-pk")[:_SHOWN])


def answered_by(
    translation: Translation, reviews: Iterable[Review]
) -> list[Retranslation]:
    """Return the requests that this version answers; `reviews` are those of `reviews_of`. No query."""
    requests = (getattr(review, "retranslation", None) for review in reviews)
    return [one for one in requests if one and one.answer_id == translation.pk]


def state_of(
    entry: QueueEntry | None, reviews: Iterable[Review], *, removed: bool
) -> State:
    """Return the state that the pill shows."""
    if removed:
        return State("off", "removed")
    standing = [review for review in reviews if review.standing]
    if entry is None:
        return State("off", "to review")
    if entry.state == QueueEntry.OPEN and entry.dropped:
        return State("warn", "approval dropped")
    tone, word = _STATE[entry.state]
    if entry.state == QueueEntry.OPEN and entry.approvals:
        word = f"{entry.approvals} of {entry.needed} approvals"
    decision = {
        QueueEntry.APPROVED: Review.APPROVE,
        QueueEntry.SENT_BACK: Review.RETRANSLATE,
    }.get(entry.state, Review.APPROVE)
    people = [
        review.reviewer.username for review in standing if review.decision == decision
    ]
    return State(tone, word, ", ".join(reversed(people)))


def drops_of(reviews: Sequence[Review], user: User) -> list[Drop]:
    """Return the approvals that fell by a change and that their reviewer has not decided on since; `user`'s first."""
    decided: set[int] = set()
    found = []
    for review in reviews:  # newest first
        if review.reviewer_id in decided:
            continue
        decided.add(review.reviewer_id)
        end: ReviewEnd | None = getattr(review, "end", None)
        if end is None or end.kind not in (ReviewEnd.OWN, ReviewEnd.USED):
            continue
        if review.decision == Review.APPROVE:
            found.append(Drop(review, end, review.reviewer_id == user.pk))
    return sorted(found, key=lambda drop: not drop.mine)


@dataclass(frozen=True)
class Version:
    """A version of the text and what it met with."""

    translation: Translation
    current: bool
    tone: str
    word: str
    note: str
    said: str
    """What was written along with the decision, as Markdown."""


def versions_of(
    definition: Definition, current: int, state: State, reviews: Sequence[Review]
) -> list[Version]:
    """Return the versions, newest first. One query; decisions come with `reviews`."""
    rows = definition.translations.select_related("author").defer("text")
    return [
        _version(row, row.pk == current, state, reviews)
        for row in rows.order_by("-number")[:30]
    ]


def _version(
    row: Translation, is_current: bool, state: State, reviews: Sequence[Review]
) -> Version:
    own = [review for review in reviews if review.translation_id == row.pk]
    last = own[0] if own else None
    note, said = "", ""
    if last is not None and last.decision == Review.RETRANSLATE:
        note, said = last.get_reason_display(), last.words
    elif last is not None and last.decision == Review.SKIP and last.standing:
        note, said = f"skipped by {last.reviewer.username}", last.words
    if is_current:
        return Version(row, True, state.tone, state.word, note, said)
    if last is None:
        return Version(row, False, "off", "not reviewed", note, said)
    if last.decision == Review.APPROVE:
        word = "approved" if last.standing else "approval ended"
        return Version(row, False, "off", word, note, said)
    tones = {Review.RETRANSLATE: ("bad", "sent back"), Review.SKIP: ("off", "skipped")}
    return Version(row, False, *tones[last.decision], note, said)


@dataclass(frozen=True)
class Steps:
    """The older versions that the page offers to compare with: as tabs (number, words), and one step either way."""

    tabs: list[tuple[int, str]]
    older: int | None
    newer: int | None


def steps_of(
    numbers: Sequence[int], current: int, against: int | None, reviewed: Sequence[int]
) -> Steps:
    """Return which of the versions `numbers` (newest first) to offer beside `current`, while `against` is compared.

    As tabs: the one before, the one that the reader decided on last (`reviewed`, newest first), the one compared.
    """
    older = [number for number in numbers if number < current]
    own = next((number for number in reviewed if number in older), 0)
    offered = {*older[:1], own, against or 0} - {0}
    tabs = [
        (number, f"Since my review of v{number}" if number == own else f"vs v{number}")
        for number in sorted(offered, reverse=True)
        if number != current
    ]
    before = [number for number in older if against is None or number < against]
    after = [number for number in older if against is not None and number > against]
    return Steps(tabs, before[0] if before else None, after[-1] if after else None)


def states_around(placements: Iterable[Placement]) -> dict[int, State]:
    """Return by definition where each of `placements` stands in the queue. One query."""
    wanted = {row.definition_id for row in placements}
    rows = QueueEntry.objects.filter(definition__in=wanted)
    return {row.definition_id: state_of(row, (), removed=False) for row in rows}
