"""What every decision begins with: its definition locked, the right checked, and the page compared with what is now.

Order of locks, for everybody: instance, queue entries, the head of the event record. Who only decides on one definition
shares the instance with others who do, and holds that definition alone (`share_instance`).
"""

from __future__ import annotations

from django.db import connection

from curation.instances.models import Definition, Instance, Placement, Translation
from curation.reviews.models import Retranslation, Review, ReviewEnd
from workbench.access.models import User
from workbench.access.rights import AccessDenied, require
from workbench.access.roles import REVIEW

#: What a person may write to explain a decision, in characters.
LONGEST_WORDS = 20_000


class StaleTranslation(Exception):
    """What was read is no longer what is there. `current` is its placement now, None where it was removed."""

    def __init__(self, definition: Definition, current: Placement | None) -> None:
        said = (
            f"has moved on to version {current.translation.number}"
            if current is not None
            else "is not in the current revision any more"
        )
        super().__init__(f"{definition.lean_name} {said}")
        self.current = current


class OwnWork(Exception):
    """Authors do not approve their own text."""


class NoReview(Exception):
    """Nobody answers for this text by a review: it is generated (the harness)."""


class RequestClosed(Exception):
    """The request was answered or withdrawn meanwhile."""


class BadWords(ValueError):
    """The words cannot be taken: none where some are needed, too many, or a character that no text holds."""


def lock_instance(definition: Definition) -> Instance:
    """Return the instance of `definition`, locked until the transaction ends.

    Rows that merely refer to it (comments, looks) can be written meanwhile.
    """
    instance = Instance.objects.select_for_update(no_key=True)
    return instance.get(pk=definition.instance_id)


def share_instance(definition: Definition) -> Instance:
    """Return the instance of `definition`, which nobody changes until the transaction ends, with `definition` locked.

    Decisions on other definitions go on meanwhile. One on the same definition waits, and so does whoever needs the
    instance for themselves (`lock_instance`, `hold_instances`), until all who share it are done. An act that began so
    never takes the instance for itself: two of them would wait for each other. SQLite has one writer anyway.
    """
    if connection.vendor != "postgresql":
        return lock_instance(definition)
    table = connection.ops.quote_name(Instance._meta.db_table)
    shared = Instance.objects.raw(  # Django has no FOR SHARE
        f"SELECT * FROM {table} WHERE id = %s FOR SHARE",  # noqa: S608  # our own table
        [definition.instance_id],
    )
    rows = Definition.objects.select_for_update(no_key=True).filter(pk=definition.pk)
    instance = shared[0]
    rows.values_list("pk", flat=True).first()
    return instance


def current_placement(definition: Definition) -> Placement | None:
    """Return where the current revision holds `definition`, None where it does not. One query."""
    rows = Placement.objects.filter(definition=definition, revision__is_current=True)
    return rows.select_related(
        "definition__instance", "translation__author", "revision"
    ).first()


def open_page(
    person: User, definition: Definition, *, number: int, read_hash: str | None
) -> Placement:
    """Return the placement that `person` decides on, its definition locked, its instance shared.

    `number` and `read_hash` are the version and the meaning hash of the page that was read (None: whatever it uses).
    Raises `AccessDenied`, `StaleTranslation`, `NoReview`.
    """
    assert connection.in_atomic_block
    instance = share_instance(definition)
    if instance.hidden:
        raise AccessDenied("This instance was hidden; nobody decides on it.")
    require(person, REVIEW, instance)
    placement = current_placement(definition)
    if placement is None:
        raise StaleTranslation(definition, None)
    if placement.kind == Definition.HARNESS:
        raise NoReview(f"{definition} is part of the harness: it needs no review.")
    if placement.translation.number != number or (
        read_hash is not None and placement.meaning_hash != read_hash
    ):
        raise StaleTranslation(definition, placement)
    return placement


def wrote(person: User, translation: Translation) -> bool:
    """Return whether `person` wrote this text, by hand or by an agent under their name.

    Who imports files has not written them.
    """
    return translation.origin != "import" and translation.author_id == person.pk


def clean_words(words: str, *, needed: str = "") -> str:
    """Return `words` with plain line ends. Raises `BadWords`; `needed` says what is missing where nothing is said."""
    text = words.replace("\r\n", "\n").replace("\r", "\n").strip()
    if needed and not text:
        raise BadWords(needed)
    if "\0" in text:
        raise BadWords("The words hold a NUL character, which no text holds.")
    if len(text) > LONGEST_WORDS:
        raise BadWords(
            f"The words have {len(text):,} characters; at most {LONGEST_WORDS:,} are taken."
        )
    return text


def standing_review(person: User, definition: Definition) -> Review | None:
    """Return the decision of `person` on `definition` that counts, None where there is none."""
    return Review.objects.filter(
        definition=definition, reviewer=person, standing=True
    ).first()


def end_review(review: Review, kind: str, by: User | None, **what: object) -> ReviewEnd:
    """Return what ended `review`: it counts no longer. `what` are further fields of the `ReviewEnd`."""
    Review.objects.filter(pk=review.pk).update(standing=False)
    review.standing = False
    return ReviewEnd.objects.create(review=review, kind=kind, by=by, **what)


def open_request(request: Retranslation) -> Retranslation:
    """Return `request` as it is now. Raises `RequestClosed` unless it is open."""
    current = Retranslation.objects.select_related(
        "review__definition__instance", "definition__instance"
    ).get(pk=request.pk)
    if current.state != Retranslation.OPEN:
        raise RequestClosed(f"The request was {current.get_state_display()} meanwhile.")
    return current
