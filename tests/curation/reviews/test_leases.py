"""Who gets what, and that nobody gets what somebody else has."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable
from datetime import timedelta
from urllib.parse import parse_qs, urlsplit

from django.db import connection, transaction
from django.utils import timezone

from curation.instances.models import Definition, Translation
from curation.reviews import leases
from curation.reviews.actions.bulk import approve_many
from curation.reviews.entries import place_entries
from curation.reviews.leases import SECOND, LeaseTaken, NotWaiting, claim_next
from curation.reviews.models import QueueEntry, Review
from curation.reviews.selectors.bulk import preview, selected
from curation.reviews.selectors.queue import QueueFilter
from tests.case import CommittedTestCase
from tests.curation.instances.made import IMPL, import_tiny, tiny
from tests.curation.reviews.queued import QueueCase
from workbench.access.models import User
from workbench.access.rights import AccessDenied
from workbench.bulk import Outcome
from workbench.events.models import Event

ALL = QueueFilter()


def expire(entry: QueueEntry) -> None:
    """Let the lease of `entry` have run out a second ago."""
    past = timezone.now() - timedelta(seconds=1)
    QueueEntry.objects.filter(pk=entry.pk).update(leased_until=past)


class ClaimNextTest(QueueCase):
    def claimed(self, user: User, wanted: QueueFilter = ALL, **more: str) -> str:
        """Return the name of what `user` is given, "" for nothing."""
        entry = claim_next(user, wanted, **more)
        return entry.definition.lean_name if entry else ""

    def test_it_gives_the_first_in_the_order_of_the_queue(self) -> None:
        entry = claim_next(self.reviewer.user, ALL)
        assert entry is not None
        first = QueueEntry.objects.order_by("depth", "-risk", "pk").first()
        self.assertEqual(entry.pk, first and first.pk)
        assert entry.leased_until is not None
        left = entry.leased_until - timezone.now()
        self.assertAlmostEqual(left.total_seconds(), 600, delta=20)
        event = self.assertEvent(
            "lease.taken", by=self.reviewer.user, about=entry.definition
        )
        self.assertTrue(event.implicit)

    def test_it_gives_again_what_the_person_has(self) -> None:
        first = self.claimed(self.reviewer.user)
        with self.assertNoEvent():
            self.assertEqual(self.claimed(self.reviewer.user), first)

    def test_what_ran_out_of_ones_own_does_not_hide_what_one_has(self) -> None:
        old = leases.claim(self.reviewer.user, self.definition("Stack"))
        QueueEntry.objects.filter(pk=old.pk).update(assignee=self.reviewer.user)
        expire(old)
        leases.claim(self.reviewer.user, self.definition("push"))
        self.assertEqual(self.claimed(self.reviewer.user), "push")

    def test_taking_the_next_costs_eight_queries(self) -> None:
        with self.assertMostQueries(8):
            claim_next(self.reviewer.user, ALL)

    def test_two_people_get_different_things(self) -> None:
        first = self.claimed(self.reviewer.user)
        self.assertNotEqual(self.claimed(self.maintainer.user), first)

    def test_what_ran_out_is_given_to_the_next(self) -> None:
        entry = claim_next(self.reviewer.user, ALL)
        assert entry is not None
        expire(entry)
        self.assertEqual(self.claimed(self.maintainer.user), entry.definition.lean_name)

    def test_nobody_is_given_what_they_wrote(self) -> None:
        only = QueueFilter(words="cons")
        Translation.objects.filter(definition=self.definition("cons")).update(
            author=self.reviewer.user, origin="person"
        )
        self.assertEqual(self.claimed(self.reviewer.user, only), "")
        self.assertEqual(self.claimed(self.maintainer.user, only), "cons")

    def test_who_imported_a_text_has_not_written_it(self) -> None:
        self.assertEqual(
            self.claimed(self.curator.user, QueueFilter(words="cons")), "cons"
        )

    def test_nobody_is_given_what_they_decided_on(self) -> None:
        self.review("cons", self.reviewer.user)
        QueueEntry.objects.filter(definition=self.definition("cons")).update(
            state=QueueEntry.OPEN, needed=2
        )
        only = QueueFilter(words="cons")
        self.assertEqual(self.claimed(self.reviewer.user, only), "")
        self.assertEqual(self.claimed(self.maintainer.user, only), "cons")

    def test_what_was_skipped_is_in_the_second_pool(self) -> None:
        self.review("cons", self.reviewer.user, Review.SKIP)
        only = QueueFilter(words="cons")
        self.assertEqual(self.claimed(self.maintainer.user, only), "")
        self.assertEqual(self.claimed(self.maintainer.user, only, pool=SECOND), "cons")

    def test_who_skipped_something_is_given_it_last(self) -> None:
        first, second = sorted(
            ("cons", "push"), key=lambda name: self.entry_order(name)
        )
        self.review(first, self.reviewer.user, Review.SKIP)
        self.review(second, self.maintainer.user, Review.SKIP)
        both = QueueFilter(kinds=("helper", "api"))
        mine = self.reviewer.user
        self.assertEqual(self.claimed(mine, both, pool=SECOND), second)
        leases.give_back(mine, self.definition(second))
        self.review(second, mine, Review.SKIP)
        self.assertEqual(self.claimed(mine, both, pool=SECOND), first)

    def entry_order(self, name: str) -> tuple[int, int, int]:
        entry = QueueEntry.objects.get(definition=self.definition(name))
        return entry.depth, -entry.risk, entry.pk

    def test_what_was_given_to_somebody_comes_first_for_them_and_never_for_others(
        self,
    ) -> None:
        QueueEntry.objects.filter(definition=self.definition("push")).update(
            assignee=self.reviewer.user
        )
        only = QueueFilter(words="push", kinds=("api",))
        self.assertEqual(self.claimed(self.maintainer.user, only), "")
        self.assertEqual(self.claimed(self.reviewer.user), "push")

    def test_it_stays_in_the_instance_one_is_in(self) -> None:
        other = import_tiny(self.curator.user, self.team, tiny("zz-other"))
        place_entries(other.revision)
        self.assertEqual(self.claimed(self.reviewer.user, near="zz-other"), "Stack")
        entry = QueueEntry.objects.get(holder=self.reviewer.user)
        self.assertEqual(entry.instance, other.revision.instance)

    def test_filters_cut_what_is_given(self) -> None:
        only = QueueFilter.from_text("?kind=spec&state=approved")
        self.assertEqual(self.claimed(self.reviewer.user, only), "spec_push_size")

    def test_a_reader_is_given_nothing_and_another_team_neither(self) -> None:
        self.assertEqual(self.claimed(self.reader.user), "")
        self.assertEqual(self.claimed(self.outsider.user), "")


class OneLeaseTest(QueueCase):
    def setUp(self) -> None:
        super().setUp()
        self.push = self.definition("push")

    def test_a_free_one_can_be_taken_and_given_back(self) -> None:
        entry = leases.claim(self.reviewer.user, self.push)
        self.assertEqual(entry.holder_id, self.reviewer.user.pk)
        self.assertTrue(leases.is_held(entry))
        self.assertTrue(
            leases.give_back(self.reviewer.user, self.push, entry.lease_token)
        )
        self.assertEvent("lease.given_back", by=self.reviewer.user, about=self.push)
        self.assertIsNone(self.entry("push").holder)

    def test_one_that_somebody_has_is_refused_with_the_name(self) -> None:
        leases.claim(self.reviewer.user, self.push)
        with self.assertRaises(LeaseTaken) as refused:
            leases.claim(self.maintainer.user, self.push)
        self.assertIn("has it until", str(refused.exception))
        self.assertFalse(leases.give_back(self.maintainer.user, self.push))
        self.assertEqual(self.entry("push").holder, self.reviewer.user)

    def test_what_is_approved_is_not_to_be_taken(self) -> None:
        self.review("push", self.maintainer.user)
        with self.assertRaises(NotWaiting) as refused:
            leases.claim(self.reviewer.user, self.push)
        self.assertEqual(str(refused.exception), "push is approved")

    def test_a_reader_may_not_take_one(self) -> None:
        with self.assertRaises(AccessDenied):
            leases.claim(self.reader.user, self.push)

    def test_the_open_page_extends_it(self) -> None:
        entry = leases.claim(self.reviewer.user, self.push)
        expire(entry)
        kept = leases.extend(self.reviewer.user, self.push, entry.lease_token)
        assert kept is not None
        self.assertTrue(leases.is_held(kept))

    def test_it_cannot_be_extended_once_somebody_else_took_it(self) -> None:
        entry = leases.claim(self.reviewer.user, self.push)
        expire(entry)
        taken = leases.claim(self.maintainer.user, self.push)
        self.assertIsNone(
            leases.extend(self.reviewer.user, self.push, entry.lease_token)
        )
        self.assertFalse(
            leases.give_back(self.reviewer.user, self.push, entry.lease_token)
        )
        self.assertEqual(self.entry("push").lease_token, taken.lease_token)

    def test_without_a_token_nothing_is_extended(self) -> None:
        self.assertIsNone(leases.extend(self.reviewer.user, self.push, ""))


class NextAddressTest(QueueCase):
    def test_it_leads_to_the_definition_with_the_filter_it_was_taken_from(self) -> None:
        answer = self.reviewer.post("/review/next/", {"queue": "kind=spec"})
        where = urlsplit(answer["Location"])
        spec = self.definition("spec_push_size")
        self.assertEqual(where.path, f"/instances/tiny/definitions/{spec.pk}/")
        self.assertEqual(parse_qs(where.query), {"queue": ["kind=spec"]})

    def test_it_says_how_many_others_have_and_when_the_first_is_free(self) -> None:
        entry = leases.claim(self.maintainer.user, self.definition("push"))
        QueueEntry.objects.filter(pk=entry.pk).update(
            leased_until=timezone.now() + timedelta(minutes=3, seconds=30)
        )
        answer = self.reviewer.post(
            "/review/next/", {"queue": "kind=api&q=push"}, follow=True
        )
        self.assertContains(answer, "1 leased, first free in 3 min")

    def test_it_says_what_is_in_the_second_pool(self) -> None:
        self.review("push", self.maintainer.user, Review.SKIP)
        answer = self.reviewer.post(
            "/review/next/", {"queue": "kind=api&q=push"}, follow=True
        )
        self.assertContains(answer, "1 in the second pool")

    def test_nothing_left_is_said(self) -> None:
        answer = self.reviewer.post("/review/next/", {"queue": "q=none"}, follow=True)
        self.assertContains(answer, "Nothing waits for you here.")


class ContendedTest(CommittedTestCase):
    """Real threads, each with a connection of its own."""

    def test_many_who_ask_at_once_each_get_something_else(self) -> None:
        impl = IMPL + "".join(f"\ndef more{n} := {n}\n" for n in range(20))
        done = import_tiny(None, self.team, tiny(impl=impl))
        place_entries(done.revision)
        people = [self.users[name] for name in ("curator", "reviewer", "maintainer")]
        given: list[int] = []
        problems: list[BaseException] = []
        start = threading.Barrier(6)

        def ask(person: User) -> None:
            try:
                start.wait()
                for _ in range(4):
                    entry = claim_next(person, ALL)
                    assert entry is not None
                    given.append(entry.definition_id)
                    # decided: the lease is no longer theirs, and the entry does not wait
                    QueueEntry.objects.filter(pk=entry.pk).update(
                        state=QueueEntry.APPROVED, holder=None
                    )
            except BaseException as problem:
                problems.append(problem)
            finally:
                connection.close()

        threads = [threading.Thread(target=ask, args=(one,)) for one in people * 2]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(problems, [])
        # The two windows of one person may be given the same thing; two people never.
        self.assertEqual(len(given), 24)
        taken = Event.objects.filter(verb="lease.taken").values_list(
            "object_id", flat=True
        )
        self.assertEqual(set(Counter(taken).values()), {1})
        self.assertEqual(set(map(str, given)), set(taken))
        self.assertEqual(
            Definition.objects.filter(queue_entry__state="approved").count(),
            len(set(given)),
        )

    def test_who_waits_for_an_entry_learns_who_took_it_meanwhile(self) -> None:
        done = import_tiny(None, self.team, tiny())
        place_entries(done.revision)
        reads = self.leased_under_a_lock(
            lambda definition: leases.claim(self.users["reviewer"], definition)
        )
        self.assertIsInstance(reads, LeaseTaken)
        self.assertIn("curator has it until", str(reads))
        QueueEntry.objects.update(holder=None, leased_until=None)
        outcome = self.leased_under_a_lock(
            lambda definition: approve_many(
                self.users["reviewer"],
                [
                    one.read
                    for one in preview(
                        self.users["reviewer"],
                        "approve",
                        selected(self.users["reviewer"], [definition.pk], None),
                        None,
                    ).chosen
                ],
            )
        )
        assert isinstance(outcome, Outcome), outcome
        self.assertEqual(
            [why for _, why in outcome.left], ["curator reads it now"], outcome
        )

    def leased_under_a_lock(self, act: Callable[[Definition], object]) -> object:
        """Lease an entry to the curator, and commit once `act` waits for it in a thread; return what came of `act`."""
        entry = QueueEntry.objects.filter(state=QueueEntry.OPEN).order_by("pk")[0]
        results: list[object] = []

        def run() -> None:
            try:
                results.append(act(entry.definition))
            except Exception as problem:
                results.append(problem)
            finally:
                connection.close()

        thread = threading.Thread(target=run)
        with transaction.atomic():
            locked = QueueEntry.objects.select_for_update().filter(pk=entry.pk)
            locked.get()
            thread.start()
            self.wait_until_somebody_waits()
            until = timezone.now() + timedelta(minutes=10)
            locked.update(holder=self.users["curator"], leased_until=until)
        thread.join()
        return results[0]

    @staticmethod
    def wait_until_somebody_waits() -> None:
        """Return once another connection waits for a lock of ours; SQLite cannot tell, so there a moment must do."""
        if connection.vendor != "postgresql":
            time.sleep(0.3)
            return
        for _ in range(400):
            with connection.cursor() as cursor:
                cursor.execute("SELECT count(*) FROM pg_locks WHERE NOT granted")
                if cursor.fetchone()[0]:
                    return
            time.sleep(0.02)
        raise AssertionError("nobody waited for the entry")
