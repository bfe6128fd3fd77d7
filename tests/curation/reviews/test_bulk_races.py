"""Bulk acts, undoing, leases and writing at once, on a real database: no circle of locks, and a queue that is true."""

from __future__ import annotations

import random
import uuid
from functools import partial

from django.db import connection

from curation.reviews.actions.bulk import approve_many, assign_many
from curation.reviews.actions.write_translation import Overtaken, write_translation
from curation.reviews.deciding import current_placement
from curation.reviews.leases import claim_next, give_back
from curation.reviews.models import Review
from curation.reviews.selectors.bulk import preview, selected
from curation.reviews.selectors.queue import QueueFilter
from curation.reviews.undo import ActMoved, act_of, undo_act
from tests.case import CommittedTestCase
from tests.curation.reviews.made import CONS, CONS_LINE
from tests.curation.reviews.races import Ground, ground
from tests.workbench.jobs.test_races import at_once
from workbench.access.models import Membership, User
from workbench.events.correlation import correlated
from workbench.events.log import broken_links


class BulkRacesTest(CommittedTestCase):
    place: Ground

    def test_nobody_waits_in_a_circle_and_the_queue_says_what_the_reviews_say(
        self,
    ) -> None:
        self.place = ground(self.team)
        rounds = 8 if connection.vendor == "postgresql" else 4
        names = ("curator", "reviewer", "maintainer", "admin")
        readers = (self.users["submitter"], self.users["reader"])
        for user in readers:
            Membership.objects.create(user=user, team=self.team, role="reviewer")
        results = at_once(
            *(
                partial(self.work, self.users[name], random.Random(seed), rounds)
                for seed, name in enumerate(names)
            ),
            *(partial(self.read, user, 10 * rounds) for user in readers),
        )
        self.assertEqual([one for one in results if isinstance(one, BaseException)], [])
        self.assertEqual(list(self.place._queue()), [])
        self.assertEqual(list(broken_links()), [])
        for review in Review.objects.select_related("end"):
            self.assertNotEqual(review.standing, hasattr(review, "end"))

    def work(self, user: User, dice: random.Random, rounds: int) -> None:
        """Do what dice say, so many times."""
        acts: list[uuid.UUID] = []
        for _ in range(rounds):
            with correlated(uuid.uuid4()) as act:
                what = dice.choice(("approve", "approve", "give", "undo", "write"))
                if what == "undo" and acts:
                    self.undo(user, acts.pop())
                elif what == "write":
                    self.write(user, dice.randrange(1000))
                    acts.append(act)
                else:
                    self.many(user, what)
                    acts.append(act)

    def read(self, user: User, rounds: int) -> None:
        """Take one after the other and give it back."""
        for _ in range(rounds):
            entry = claim_next(user, QueueFilter())
            if entry is not None:
                give_back(user, entry.definition)

    def many(self, user: User, what: str) -> None:
        verb = "approve" if what == "approve" else "assign"
        rows = selected(user, [], QueueFilter())
        items = [one.read for one in preview(user, verb, rows, user).chosen]
        if what == "approve":
            approve_many(user, items)
        else:
            assign_many(user, items, user)

    def undo(self, user: User, act: uuid.UUID) -> None:
        expected = [step.event.number for step in act_of(user, act).possible]
        try:
            undo_act(user, act, expected=expected)
        except ActMoved:  # somebody was quicker
            pass

    def write(self, user: User, number: int) -> None:
        rows = {row.lean_name: row for row in self.place.definitions}
        definition = rows[CONS]
        page = current_placement(definition)
        if user.username == "reviewer" or page is None:  # reviewers do not write
            return
        text = CONS_LINE.replace("n :: xs", f"{number} :: n :: xs")
        try:
            write_translation(user, definition, text, base=page.translation)
        except Overtaken:
            pass
