"""Send a translation back: the reviewer says why, and opens the work for the next version."""

from __future__ import annotations

from collections.abc import Sequence

from django.db import transaction

from curation.instances.models import Definition
from curation.reviews.actions.decide import decide, refresh, says_the_same
from curation.reviews.deciding import BadWords, clean_words, open_page, standing_review
from curation.reviews.models import Notification, Retranslation, Review, Thread
from curation.reviews.notify import tell
from workbench.access.models import User
from workbench.events.log import record


@transaction.atomic
def request_retranslation(
    reviewer: User,
    definition: Definition,
    *,
    number: int,
    read_hash: str,
    reason: str,
    words: str,
    threads: Sequence[Thread] = (),
) -> Retranslation:
    """Return the open request for a new version of `definition`; sent twice, the same one.

    `reason` is a code of `Review.REASONS`; `words` are needed; `threads` of this definition go with it. Who wrote the
    text is told. Raises `StaleTranslation`, `BadWords`, `NoReview`, `AccessDenied`, ValueError for an unknown reason.
    """
    known = dict(Review.REASONS)
    if reason not in known:
        raise ValueError(f"reason is {reason!r}; expected one of {', '.join(known)}")
    said = clean_words(words, needed="Say what has to change.")
    placement = open_page(reviewer, definition, number=number, read_hash=read_hash)
    if any(thread.definition_id != definition.pk for thread in threads):
        raise BadWords("A comment that should go along belongs to another definition.")
    older = standing_review(reviewer, definition)
    if says_the_same(older, placement, Review.RETRANSLATE, reason, said):
        return Retranslation.objects.get(review=older)
    review = decide(
        reviewer, placement, Review.RETRANSLATE, older, reason=reason, words=said
    )
    request = Retranslation.objects.create(review=review, definition=definition)
    request.threads.set(threads)
    refresh(placement)
    author = placement.translation.author
    if author is not None and placement.translation.origin != "import":
        told = f"{known[reason]}: {said}"
        tell(
            [author],
            Notification.REQUEST,
            definition,
            told,
            by=reviewer,
            anchor="request",
        )
    record(
        "translation.sent_back",
        reviewer,
        definition,
        reason=said,
        version=number,
        code=reason,
        read_hash=read_hash,
        request=request.pk,
        threads=len(threads),
    )
    return request
