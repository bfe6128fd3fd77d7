"""The demo's review: two instances in the middle of the work, so that every page has something true to show.

All of it is done by the actions that people use, in the order in which it would have happened.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable
from contextlib import AbstractContextManager

from curation.instances.models import Definition, Instance, Placement
from curation.reviews.actions.add_comment import About, add_comment, open_thread
from curation.reviews.actions.approve_translation import approve_translation
from curation.reviews.actions.assign_entry import assign_entry
from curation.reviews.actions.assign_request import assign_request
from curation.reviews.actions.keep_draft import save_draft
from curation.reviews.actions.look import record_look
from curation.reviews.actions.request_retranslation import request_retranslation
from curation.reviews.actions.resolve_thread import resolve_thread
from curation.reviews.actions.save_filter import save_filter
from curation.reviews.actions.set_policy import set_policy
from curation.reviews.actions.skip_definition import skip_definition
from curation.reviews.actions.write_translation import write_translation
from curation.reviews.models import Comment, Retranslation, Review, Thread
from workbench.access.models import User
from workbench.events.correlation import correlated

_BELOW = (Definition.TYPE, Definition.SIGNATURE, Definition.HELPER, Definition.API)


def review(instance: Instance, revision: int) -> None:
    """Do what the team did while `revision` of a demo instance was the current one."""
    if (instance.slug, revision) == ("ivalset", 1):
        _ivalset_first(instance)
    elif (instance.slug, revision) == ("ivalset", 2):
        _ivalset_second(instance)
    elif instance.slug == "ringbuf":
        _ringbuf(instance)


def _ivalset_first(instance: Instance) -> None:
    """Tomas reads everything below the specs. The next revision takes some of it away again."""
    tomas = _person("tomas")
    for placement in _placed(instance, _BELOW):
        if placement.definition.short_name != "overlaps":
            _approve(tomas, placement)


def _ivalset_second(instance: Instance) -> None:
    mira, tomas, noor = map(_person, ("mira", "tomas", "noor"))
    _approve(tomas, _one(instance, "insertMerged"))
    for name in ("spec_add_empty", "spec_add_mem", "spec_contains_mem"):
        _approve(tomas, _one(instance, name))
    overlaps = _one(instance, "overlaps")
    thread = _comment(
        tomas,
        overlaps,
        "touches",
        "`touches` is true for two intervals that only meet at a border: `[0, 2)` and `[2, 5)` have no integer in "
        "common, and this says that they overlap. @mira, is that meant?",
    )
    _answer(
        mira,
        thread,
        "No. Python compares with `<` here; `touches` is for merging only.",
    )
    _answer(
        tomas,
        thread,
        "Then `spec_overlaps_iff` cannot hold of the reference. I send it back.",
    )
    request = _send_back(
        tomas,
        overlaps,
        "semantics",
        "Compare with < on both sides, as `core.py:107` does. `touches` stays as it is.",
        [thread],
    )
    with _act():
        assign_request(noor, request, mira)
    with _act():
        text = overlaps.translation.text.replace(
            "iv.touches ⟨lo, hi⟩", "iv.lo < hi && lo < iv.hi"
        )
        save_draft(mira, overlaps.definition, text, base=overlaps.translation)
    with _act():
        skip_definition(
            tomas,
            _one(instance, "gaps").definition,
            number=_one(instance, "gaps").translation.number,
            words="I would have to read the upstream tests of gaps first.",
        )
    with _act():
        assign_entry(noor, _one(instance, "spec_gaps_mem").definition, tomas)
    with _act():
        save_filter(tomas, "dropped in ivalset", "instance=ivalset&dropped=yes")


def _ringbuf(instance: Instance) -> None:
    """Specs need two people here. One round of re-translation has come back and waits for who asked."""
    mira, tomas, noor = map(_person, ("mira", "tomas", "noor"))
    with _act():
        set_policy(noor, instance, Definition.SPEC, 2)
    for placement in _placed(instance, (Definition.TYPE, Definition.SIGNATURE)):
        _approve(noor, placement)
    for name in ("slot", "next", "walk", "Ring.contents", "empty", "push"):
        _approve(tomas, _one(instance, name))
    for name in ("spec_empty_contents", "spec_push_contents", "spec_push_full"):
        _approve(tomas, _one(instance, name))
    _approve(noor, _one(instance, "spec_empty_contents"))
    peek = _one(instance, "peek")
    record_look(noor, peek)
    thread = _comment(
        noor, peek, "oldest", "The words leave out what an empty buffer gives."
    )
    request = _send_back(
        noor, peek, "other", "Say in the words what an empty buffer gives.", [thread]
    )
    with _act():
        assign_request(noor, request, mira)
    with _act():
        text = peek.translation.text.replace(
            "/-- The oldest element.",
            "/-- The oldest element; `none` of an empty buffer.",
        )
        write_translation(
            mira,
            peek.definition,
            text,
            base=peek.translation,
            words="Said, with the word that the type uses.",
            answers=request,
        )
        resolve_thread(noor, thread)
    with _act():
        pop = _one(instance, "pop")
        skip_definition(
            noor,
            pop.definition,
            number=pop.translation.number,
            words="After `next` was read by somebody else.",
        )


def _act() -> AbstractContextManager[uuid.UUID]:
    """Everything inside is one act of its own, as one click is; otherwise all of it would be the seeding's."""
    return correlated(uuid.uuid4())


def _person(name: str) -> User:
    return User.objects.get(username=name)


def _placed(instance: Instance, kinds: Iterable[str]) -> list[Placement]:
    rows = Placement.objects.filter(
        revision__instance=instance, revision__is_current=True, kind__in=list(kinds)
    )
    rows = rows.select_related("definition__instance__team", "translation", "revision")
    return list(rows.order_by("position"))


def _one(instance: Instance, name: str) -> Placement:
    """Return where the current revision holds the definition whose Lean name ends in `name`."""
    everything = _placed(instance, (kind for kind, _ in Definition.KINDS))
    return next(
        placement
        for placement in everything
        if f".{placement.definition.lean_name}".endswith(f".{name}")
    )


def _approve(person: User, placement: Placement) -> Review:
    with _act():
        return approve_translation(
            person,
            placement.definition,
            number=placement.translation.number,
            read_hash=placement.meaning_hash,
        )


def _comment(person: User, placement: Placement, word: str, text: str) -> Thread:
    """Open a conversation on the first line of the definition that holds `word`."""
    lines = placement.translation.text.split("\n")
    number = next(n for n, line in enumerate(lines, 1) if word in line)
    about = About(
        placement.translation, None, placement.translation.text, number, number
    )
    with _act():
        comment: Comment = open_thread(
            person, placement.definition, about, text, f"demo-{placement.pk}"
        )
    return comment.thread


def _answer(person: User, thread: Thread, text: str) -> None:
    with _act():
        add_comment(person, thread, text, f"demo-{thread.pk}-{thread.comments.count()}")


def _send_back(
    person: User,
    placement: Placement,
    reason: str,
    words: str,
    threads: list[Thread],
) -> Retranslation:
    with _act():
        return request_retranslation(
            person,
            placement.definition,
            number=placement.translation.number,
            read_hash=placement.meaning_hash,
            reason=reason,
            words=words,
            threads=threads,
        )
