"""What happened to a definition, in order; and what changed since somebody last looked."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from curation.instances.models import Definition, Revision, Translation
from curation.reviews.deciding import current_placement
from curation.reviews.models import Look, Retranslation, Review, ReviewEnd
from curation.reviews.selectors.since import ChangedUse, changed_uses
from workbench.access.models import User

VERSION, DECISION, END, REQUEST, ANSWER = (
    "version", "decision", "end", "request", "answer",
)  # fmt: skip
#: What comes first of things of one moment.
_ORDER = (VERSION, ANSWER, END, DECISION, REQUEST)


@dataclass(frozen=True)
class Happening:
    """One thing in the story of a definition: `kind` says which of the others is set. `by` None: the system."""

    kind: str
    at: datetime
    by: User | None
    version: Translation | None = None
    review: Review | None = None
    end: ReviewEnd | None = None
    request: Retranslation | None = None


def story(definition: Definition) -> list[Happening]:
    """Return the versions, decisions, what ended them, requests and answers of `definition`, oldest first. Four queries.

    The texts of the versions are not loaded.
    """
    found = [
        Happening(VERSION, version.created_at, version.author, version=version)
        for version in definition.translations.select_related("author").defer("text")
    ]
    reviews = Review.objects.filter(definition=definition)
    for review in reviews.select_related("reviewer", "translation"):
        found.append(
            Happening(DECISION, review.created_at, review.reviewer, review=review)
        )
    ends = ReviewEnd.objects.filter(review__definition=definition)
    for end in ends.select_related(
        "by", "revision", "cause", "before", "after", "review__reviewer"
    ):
        found.append(Happening(END, end.created_at, end.by, review=end.review, end=end))
    requests = Retranslation.objects.filter(definition=definition)
    for request in requests.select_related(
        "review__reviewer", "assignee", "answer__author"
    ):
        asked_by = request.review.reviewer
        found.append(Happening(REQUEST, request.created_at, asked_by, request=request))
        if request.closed_at is not None and request.answer is not None:
            found.append(
                Happening(
                    ANSWER,
                    request.closed_at,
                    request.answer.author,
                    version=request.answer,
                    request=request,
                )
            )
    return sorted(found, key=lambda one: (one.at, _ORDER.index(one.kind)))


@dataclass(frozen=True)
class Since:
    """What changed of a definition since a revision: its text then and now, and what it uses, nearest first."""

    revision: Revision
    old: Translation
    new: Translation
    used: list[ChangedUse]

    @property
    def text_changed(self) -> bool:
        return self.old.pk != self.new.pk

    @property
    def nothing(self) -> bool:
        return not self.text_changed and not self.used


def changes_since(person: User, definition: Definition) -> Since | None:
    """Return what changed since `person` last saw `definition` another way, None where they never did.

    It is the same before and after their present visit was noted (see look.py). At most nine queries.
    """
    look = (
        Look.objects.filter(person=person, definition=definition)
        .select_related("translation", "revision", "before", "before_revision")
        .first()
    )
    now = current_placement(definition)
    if look is None or now is None:
        return None
    unnoted = (look.translation_id, look.seen_hash) != (
        now.translation_id,
        now.meaning_hash,
    )
    old, older = look.translation, look.revision
    if not unnoted:
        if look.before is None or look.before_revision is None:
            return None
        old, older = look.before, look.before_revision
    return Since(older, old, now.translation, changed_uses(now, older))


def changes_since_read(
    definition: Definition, number: int, read_hash: str
) -> Since | None:
    """Return what changed since a page showed version `number` with meaning `read_hash`; None for a page never shown."""
    now = current_placement(definition)
    rows = definition.placements.filter(translation__number=number)
    if read_hash:
        rows = rows.filter(meaning_hash=read_hash)
    read = (
        rows.select_related("translation", "revision")
        .order_by("-revision__number")
        .first()
    )
    if now is None or read is None:
        return None
    used = changed_uses(now, read.revision)
    return Since(read.revision, read.translation, now.translation, used)
