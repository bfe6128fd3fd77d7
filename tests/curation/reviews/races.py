"""Many people at once on few definitions, and what must be true afterwards: nothing lost, nothing doubled.

Each thread is one person. They read pages, some of them old ones, and approve, send back, skip, take back, write, claim
and give back as dice say. What an act answers is kept; `Ground.complaints` compares the answers, the tables and the
record of events with each other. Used by test_races.py and by tests/speed/review_races.py.
"""

from __future__ import annotations

import random
import threading
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from django.db import connection

from curation.instances.models import Definition, Instance, Placement, Translation
from curation.reviews.actions.approve_translation import approve_translation
from curation.reviews.actions.request_retranslation import request_retranslation
from curation.reviews.actions.skip_definition import skip_definition
from curation.reviews.actions.withdraw_review import withdraw_review
from curation.reviews.actions.write_translation import Overtaken, write_translation
from curation.reviews.deciding import OwnWork, StaleTranslation, current_placement
from curation.reviews.entries import DERIVED, expected
from curation.reviews.leases import claim_next, give_back
from curation.reviews.models import QueueEntry, Retranslation, Review
from curation.reviews.selectors.queue import QueueFilter
from tests.curation.instances.made import import_tiny
from tests.curation.reviews.made import CONS_LINE
from workbench.access.models import Team, User
from workbench.events.log import broken_links
from workbench.events.models import Event
from workbench.events.telling import data_of

#: Of a hundred acts, how many are of which kind. A written version reads the whole tree again: it costs ten others.
SHARES = {
    "approve": 38,
    "send back": 10,
    "skip": 8,
    "take back": 12,
    "claim": 18,
    "give back": 8,
    "write": 6,
}
REFUSALS = (StaleTranslation, OwnWork, Overtaken)


@dataclass
class Answer:
    """What one act answered: the row that it named, or the refusal."""

    act: str
    row: int | None
    refusal: str = ""


@dataclass
class Ground:
    """The instance on which they meet, and all that was answered."""

    instance: Instance
    definitions: list[Definition]
    answers: list[Answer] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)

    @property
    def refused(self) -> Counter[str]:
        return Counter(answer.refusal for answer in self.answers if answer.refusal)

    def complaints(self) -> Iterator[str]:
        """Yield a sentence for everything that was lost, doubled or contradicts something else."""
        yield from self.failures
        yield from self._decisions()
        yield from self._versions()
        yield from self._queue()
        yield from self._leases()
        yield from self._order()
        yield from broken_links()

    def _named(self, *acts: str) -> set[int]:
        return {
            answer.row
            for answer in self.answers
            if answer.act in acts and answer.row is not None
        }

    def _decisions(self) -> Iterator[str]:
        rows = Review.objects.filter(instance=self.instance)
        answered = self._named("approve", "send back", "skip")
        stored = set(rows.values_list("pk", flat=True))
        yield from _apart("decision", answered, stored)
        told = Event.objects.filter(
            verb__in=(
                "translation.approved",
                "translation.sent_back",
                "definition.skipped",
            )
        ).count()
        if told != len(stored):
            yield f"{told} events tell of {len(stored)} decisions"
        for review in rows.select_related("end"):
            if review.standing == hasattr(review, "end"):
                yield f"review {review.pk} stands and ended, or neither"
        now = {row.definition_id: row for row in self._placements()}
        for review in rows.filter(standing=True):
            placement = now[review.definition_id]
            read = (
                placement.translation_id == review.translation_id
                if review.decision == Review.RETRANSLATE
                else placement.meaning_hash == review.read_hash
            )
            if not read:
                yield f"review {review.pk} stands on a content that is gone"
        wanted = set(
            rows.filter(standing=True, decision=Review.RETRANSLATE).values_list(
                "retranslation", flat=True
            )
        )
        is_open = set(
            Retranslation.objects.filter(
                definition__instance=self.instance, state=Retranslation.OPEN
            ).values_list("pk", flat=True)
        )
        yield from _apart("open request", wanted, is_open)

    def _versions(self) -> Iterator[str]:
        written = Translation.objects.filter(
            definition__instance=self.instance, origin="person"
        )
        yield from _apart(
            "version", self._named("write"), set(written.values_list("pk", flat=True))
        )
        told = Event.objects.filter(verb="translation.written").order_by("number")
        last: dict[str, int] = {}
        for event in told:
            data = data_of(event)
            if data["base"] != last.get(event.object_id, 1):
                yield f"{event.object_name} v{data['version']} was written over an unseen version"
            last[event.object_id] = data["version"]
        if len(told) != len(written):
            yield f"{len(told)} events tell of {len(written)} versions"

    def _queue(self) -> Iterator[str]:
        revision = self.instance.revisions.get(is_current=True)
        entries = {
            entry.definition_id: entry
            for entry in QueueEntry.objects.filter(instance=self.instance)
        }
        for key, wanted in expected(revision).items():
            for name in DERIVED:
                found = getattr(entries[key], name)
                if found != getattr(wanted, name):
                    yield f"entry of {key}: {name} is {found!r}, must be {getattr(wanted, name)!r}"

    def _leases(self) -> Iterator[str]:
        """Between two people who took the same definition, something must have freed it."""
        holder: dict[str, int | None] = {}
        told = Event.objects.filter(object_kind="definition").order_by("number")
        for event in told:
            if event.verb == "lease.taken":
                if holder.get(event.object_id) not in (None, event.actor_id):
                    yield f"{event.object_name} was leased to two people"
                holder[event.object_id] = event.actor_id
            else:  # given back, or decided on: QueueEntry frees it when its holder or the state has moved
                holder[event.object_id] = None

    def _order(self) -> Iterator[str]:
        """In the order of the record, every approval is of the content that was current then."""
        meanings = {
            (number, key): meaning
            for number, key, meaning in Placement.objects.filter(
                revision__instance=self.instance
            ).values_list("revision__number", "definition_id", "meaning_hash")
        }
        current = 1
        told = Event.objects.filter(
            verb__in=("translation.written", "translation.approved")
        ).order_by("number")
        for event in told:
            data = data_of(event)
            if event.verb == "translation.written":
                current = data["revision"]
            elif meanings[current, int(event.object_id)] != data["read_hash"]:
                yield f"event {event.number} approves what was not current"

    def _placements(self) -> list[Placement]:
        return list(
            Placement.objects.filter(
                revision__instance=self.instance, revision__is_current=True
            )
        )


def _apart(what: str, answered: set[int], stored: set[int]) -> Iterator[str]:
    if lost := answered - stored:
        yield f"{len(lost)} of {what} were answered and are not there"
    if doubled := stored - answered:
        yield f"{len(doubled)} of {what} are there and were never answered"


def ground(team: Team) -> Ground:
    """Return an instance of three definitions that use one another, imported into `team`."""
    instance = import_tiny(None, team).revision.instance
    names = ("cons", "push", "size")
    return Ground(
        instance, list(instance.definitions.filter(lean_name__in=names).order_by("pk"))
    )


def contend(place: Ground, people: list[User], acts: int, *, seed: int = 1) -> None:
    """Have `people` do `acts` acts in all, each in a thread of their own, all at once."""
    start = threading.Barrier(len(people))
    share = [acts // len(people)] * len(people)
    share[0] += acts - sum(share)
    threads = [
        threading.Thread(
            target=_Person(place, user, seed + number, start).live, args=(count,)
        )
        for number, (user, count) in enumerate(zip(people, share, strict=True))
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


class _Person:
    def __init__(
        self, place: Ground, user: User, seed: int, start: threading.Barrier
    ) -> None:
        self.place, self.user, self.start = place, user, start
        self.dice = random.Random(seed)
        self.pages: dict[int, Placement] = {}
        self.written = 0
        self.decided: dict[int, Review] = {}
        self.doing: dict[str, Callable[[Definition], int | None]] = {
            "approve": self.approve,
            "send back": self.send_back,
            "skip": self.skip,
            "take back": self.take_back,
            "claim": self.claim,
            "give back": self.give_back,
            "write": self.write,
        }

    def live(self, acts: int) -> None:
        try:
            self.start.wait()
            for act in self.dice.choices(list(SHARES), list(SHARES.values()), k=acts):
                self.act(act)
        except BaseException as error:  # told by the test, which would not hear it
            self.place.failures.append(f"{self.user}: {type(error).__name__}: {error}")
        finally:
            connection.close()

    def act(self, act: str) -> None:
        definition = self.dice.choice(self.place.definitions)
        try:
            answer = Answer(act, self.doing[act](definition))
        except REFUSALS as refused:
            answer = Answer(act, None, type(refused).__name__)
        self.place.answers.append(answer)

    def page(self, definition: Definition) -> Placement:
        """Return the page of `definition`, one time in four one that was opened before."""
        old = self.pages.get(definition.pk)
        if old is not None and self.dice.random() < 0.25:
            return old
        page = current_placement(definition)
        assert page is not None
        self.pages[definition.pk] = page
        return page

    def read(self, definition: Definition) -> dict[str, Any]:
        page = self.page(definition)
        return {"number": page.translation.number, "read_hash": page.meaning_hash}

    def approve(self, definition: Definition) -> int:
        return self.keep(
            approve_translation(self.user, definition, **self.read(definition))
        )

    def send_back(self, definition: Definition) -> int:
        request = request_retranslation(
            self.user,
            definition,
            reason="other",
            words=f"No. {self.dice.randrange(3)}",
            **self.read(definition),
        )
        return self.keep(request.review)

    def skip(self, definition: Definition) -> int:
        number = self.page(definition).translation.number
        return self.keep(
            skip_definition(self.user, definition, number=number, words="Hard.")
        )

    def keep(self, review: Review) -> int:
        self.decided[review.definition_id] = review
        return review.pk

    def take_back(self, definition: Definition) -> None:
        review = self.decided.get(definition.pk)
        if review is not None:
            withdraw_review(self.user, review)

    def claim(self, definition: Definition) -> None:
        wanted = QueueFilter(instances=(self.place.instance.slug,))
        pool = "second" if self.dice.random() < 0.3 else "first"
        entry = claim_next(self.user, wanted, pool=pool)
        # A lease that a decision of somebody else just ended leaves no holder: nobody has it twice.
        if entry is not None and entry.holder_id not in (None, self.user.pk):
            self.place.failures.append(f"{self.user} was given what {entry.holder} has")

    def give_back(self, definition: Definition) -> None:
        give_back(self.user, definition)

    def write(self, definition: Definition) -> int:
        page = self.page(definition)
        self.written += 1
        mark = f"{self.user.pk * 100_000 + self.written}"
        text = page.translation.text
        if definition.lean_name == "cons":
            text = CONS_LINE.replace("n :: xs", f"{mark} :: n :: xs")
        else:
            text += f" -- {mark}"
        return write_translation(self.user, definition, text, base=page.translation).pk


def summary(place: Ground) -> dict[str, int]:
    """Return how many acts of which kind were done, and how many were refused."""
    found: dict[str, int] = defaultdict(int)
    for answer in place.answers:
        found[f"{answer.act}{', refused' if answer.refusal else ''}"] += 1
    return dict(sorted(found.items()))
