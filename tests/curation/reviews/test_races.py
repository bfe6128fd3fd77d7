"""Several people at once on few definitions, on a real database. The long run is tests/speed/review_races.py."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any
from unittest import skipUnless

import pytest
from django.db import OperationalError, connection, transaction

from curation.instances.locks import hold_instances
from curation.instances.models import Translation
from curation.reviews.actions.add_comment import About, open_thread
from curation.reviews.deciding import StaleTranslation, share_instance
from curation.reviews.models import Comment, Retranslation, Review
from tests.case import CommittedTestCase
from tests.curation.instances.made import IMPL, import_tiny, tiny
from tests.curation.reviews.made import CONS, CONS_LINE, PUSH, Acts
from tests.curation.reviews.races import contend, ground
from tests.workbench.jobs.test_races import at_once
from workbench.access.models import User
from workbench.events.models import Event

ACTS = 300
CHANGED = CONS_LINE.replace("n :: xs", "xs ++ [n]")


def impatient(act: Callable[[], Any]) -> Any:
    """Return what `act` returns; it raises OperationalError where it has to wait for a lock."""
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute("SET LOCAL lock_timeout = '1s'")
        return act()


class RacesTest(Acts, CommittedTestCase):
    def setUp(self) -> None:
        super().setUp()
        self.place = ground(self.team)
        self.instance = self.place.instance

    def test_nothing_is_lost_and_nothing_doubled(self) -> None:
        people = [
            self.users[name] for name in ("curator", "reviewer", "maintainer", "admin")
        ]
        people = [user for user in people if user.username != "reviewer"] + [
            self.users["outsider"]
        ]
        self.make_curator(self.users["outsider"])
        acts = ACTS if connection.vendor == "postgresql" else ACTS // 4
        contend(self.place, people, acts)
        self.assertEqual(list(self.place.complaints()), [])
        self.assertEqual(len(self.place.answers), acts)
        self.assertTrue(self.place.refused, "Nobody was in the way of anybody.")

    def test_a_double_click_decides_once(self) -> None:
        for click in (
            partial(self.approve, PUSH),
            partial(self.skip, PUSH),
            partial(self.send_back, PUSH),
        ):
            made = at_once(*[click] * 4)
            self.assertEqual(len({row.pk for row in made}), 1, made)
        self.assertEqual(Review.objects.count(), 3)
        self.assertEqual(Retranslation.objects.count(), 1)

    def test_two_writers_make_one_version_and_one_conflict(self) -> None:
        base = self.placement(CONS).translation
        texts = [CONS_LINE.replace("n ::", f"{number} :: n ::") for number in range(4)]
        made = at_once(*(partial(self.write, CONS, text, base=base) for text in texts))
        kinds = sorted(type(one).__name__ for one in made)
        self.assertEqual(kinds, ["Overtaken"] * 3 + ["Translation"], made)
        self.assertEqual(Translation.objects.filter(origin="person").count(), 1)

    def test_an_approval_and_a_change_below_it_never_both_stand(self) -> None:
        for number in range(6):
            now = self.placement(PUSH)
            text = CONS_LINE.replace("n ::", f"{number} :: n ::")
            approved, written = at_once(
                partial(self.approve_page, now, self.reviewer.user),
                partial(self.write, CONS, text),
            )
            self.assertIsInstance(written, Translation)
            if isinstance(approved, Review):
                approved.refresh_from_db()
                self.assertFalse(approved.standing)
            else:
                self.assertIsInstance(approved, StaleTranslation)
        self.assertFalse(Review.objects.filter(standing=True).exists())

    @pytest.mark.one_database
    @skipUnless(connection.vendor == "postgresql", "SQLite has one writer")
    def test_decisions_on_different_definitions_do_not_wait_for_each_other(
        self,
    ) -> None:
        pages = {name: self.placement(name) for name in (PUSH, "size")}
        with transaction.atomic():
            share_instance(pages[PUSH].definition)
            other, same, whole = at_once(
                partial(impatient, partial(self.approve, "size")),
                partial(impatient, partial(self.approve, PUSH)),
                partial(impatient, partial(hold_instances, [self.instance.pk])),
            )
        self.assertIsInstance(other, Review)
        self.assertIsInstance(same, OperationalError)  # the definition is held
        self.assertIsInstance(whole, OperationalError)  # and the instance shared
        with transaction.atomic():
            hold_instances([self.instance.pk])
            (late,) = at_once(partial(impatient, partial(self.approve, PUSH)))
        self.assertIsInstance(late, OperationalError)
        self.assertEqual(Review.objects.count(), 1)

    def test_remarks_and_an_import_do_not_wait_for_each_other_in_a_circle(self) -> None:
        """Each remark holds its author and tells the other one; the import tells both, and holds the instance."""
        people = (self.users["reviewer"], self.users["maintainer"])
        for number in range(4):
            for user in people:
                self.approve(CONS, user)
            impl = IMPL.replace("n :: xs", f"{number} :: n :: xs")
            results = at_once(
                partial(import_tiny, self.users["curator"], self.team, tiny(impl=impl)),
                *(
                    partial(self.remark, user, f"Hm, @{other}.", f"{number}-{each}")
                    for each in range(2)
                    for user, other in (people, people[::-1])
                ),
            )
            failed = [one for one in results if isinstance(one, BaseException)]
            self.assertEqual(failed, [])
        self.assertEqual(Comment.objects.count(), 16)

    def remark(self, user: User, text: str, key: str) -> Comment:
        now = self.placement(CONS)
        about = About(now.translation, None, now.translation.text, 1, 1)
        return open_thread(user, now.definition, about, text, f"{user}-{key}")

    def test_an_import_while_people_decide_settles_what_was_decided(self) -> None:
        changed = tiny(
            impl=tiny()["Tiny/Impl/Stack.lean"].decode().replace(CONS_LINE, CHANGED)
        )
        now = {name: self.placement(name) for name in (CONS, PUSH, "size")}
        results = at_once(
            partial(import_tiny, None, self.team, changed),
            *(
                partial(self.approve_page, page, user)
                for page in now.values()
                for user in (self.users["reviewer"], self.users["maintainer"])
            ),
        )
        self.assertTrue(results[0].changed)
        standing = set(
            Review.objects.filter(standing=True).values_list(
                "definition__lean_name", flat=True
            )
        )
        self.assertEqual(standing, {"size"})
        dropped = Event.objects.filter(verb="review.dropped").count()
        decided = [one for one in results[1:] if isinstance(one, Review)]
        self.assertEqual(len(decided), Review.objects.count())
        self.assertEqual(dropped, Review.objects.filter(standing=False).count())
