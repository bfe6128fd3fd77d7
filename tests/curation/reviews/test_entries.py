"""The queue says what the reviews say."""

from __future__ import annotations

from datetime import timedelta

from django.utils import timezone

from curation.instances.actions.link_item import link_item, unlink_item
from curation.instances.models import Definition, Item, Revision
from curation.reviews.entries import DERIVED, expected, place_entries, refresh_entries
from curation.reviews.models import (
    QueueEntry,
    Retranslation,
    Review,
    ReviewEnd,
    ReviewPolicy,
)
from tests.curation.instances.made import IMPL, import_tiny, source, tiny
from tests.curation.reviews.queued import QueueCase, ended, reviewed


class PlaceEntriesTest(QueueCase):
    def revision(self) -> Revision:
        return self.instance.revisions.get(is_current=True)

    def assertDerived(self) -> None:
        """Each entry is what the reviews say, and there are no others."""
        wanted = {
            key: tuple(getattr(row, name) for name in DERIVED)
            for key, row in expected(self.revision()).items()
        }
        found = {
            row.definition_id: tuple(getattr(row, name) for name in DERIVED)
            for row in QueueEntry.objects.filter(instance=self.instance)
        }
        self.assertEqual(found, wanted)

    def test_each_definition_but_the_harness_has_an_entry(self) -> None:
        placed = self.revision().placements
        entries = QueueEntry.objects.filter(instance=self.instance)
        self.assertEqual(
            set(entries.values_list("definition", flat=True)),
            set(
                placed.exclude(kind=Definition.HARNESS).values_list(
                    "definition", flat=True
                )
            ),
        )
        self.assertTrue(placed.filter(kind=Definition.HARNESS).exists())

    def test_what_is_used_is_less_deep(self) -> None:
        self.assertLess(self.entry("Stack").depth, self.entry("PushSig").depth)
        self.assertLess(self.entry("push").depth, self.entry("spec_push_size").depth)

    def test_doing_it_again_finds_nothing_to_put_right(self) -> None:
        self.assertEqual(place_entries(self.revision()), 0)

    def test_a_new_revision_moves_the_entries_and_keeps_leases_and_assignments(
        self,
    ) -> None:
        later = timezone.now() + timedelta(minutes=5)
        QueueEntry.objects.filter(definition=self.definition("push")).update(
            holder=self.reviewer.user, lease_token="t", leased_until=later,
            assignee=self.curator.user,
        )  # fmt: skip
        before = self.entry("push")
        import_tiny(self.curator.user, self.team, tiny(impl=IMPL + "\ndef more := 1\n"))
        place_entries(self.revision())
        entry = self.entry("push")
        self.assertNotEqual(entry.placement_id, before.placement_id)
        self.assertEqual(
            (entry.holder_id, entry.leased_until, entry.assignee_id, entry.changed_at),
            (self.reviewer.user.pk, later, self.curator.user.pk, before.changed_at),
        )
        self.assertEqual(self.entry("more").state, QueueEntry.OPEN)
        self.assertDerived()

    def test_a_removed_definition_leaves_the_queue(self) -> None:
        import_tiny(
            self.curator.user,
            self.team,
            tiny(impl=IMPL.replace("def cons ", "def kons ").replace("cons n", "kons n")),
        )  # fmt: skip
        place_entries(self.revision())
        self.assertFalse(
            QueueEntry.objects.filter(definition__lean_name="cons").exists()
        )
        self.assertDerived()

    def test_it_is_derived_from_whatever_was_decided(self) -> None:
        a, b = self.reviewer.user, self.maintainer.user
        ReviewPolicy.objects.create(
            instance=self.instance, kind=Definition.API, approvals=2
        )
        ReviewPolicy.objects.create(
            instance=self.instance, kind=Definition.SIGNATURE, approvals=0
        )
        reviewed(self.definition("push"), a)
        reviewed(self.definition("size"), a)
        reviewed(self.definition("size"), b)
        ended(reviewed(self.definition("cons"), a))
        reviewed(self.definition("Stack"), b, Review.SKIP)
        sent = reviewed(self.definition("spec_push_size"), b, Review.RETRANSLATE)
        Retranslation.objects.create(review=sent, definition=sent.definition)
        self.assertGreater(place_entries(self.revision()), 0)
        self.assertDerived()
        found = {
            row.definition.lean_name: (row.state, row.approvals, row.needed)
            for row in QueueEntry.objects.select_related("definition")
        }
        self.assertEqual(
            found,
            {
                "Stack": ("open", 0, 1),
                "PushSig": ("exempt", 0, 0),
                "SizeSig": ("exempt", 0, 0),
                "size": ("approved", 2, 2),
                "push": ("open", 1, 2),
                "cons": ("open", 0, 1),
                "spec_push_size": ("sent_back", 0, 1),
            },
        )
        self.assertTrue(self.entry("Stack").skipped)
        self.assertTrue(self.entry("cons").dropped)
        self.assertIn("changed after approval", self.entry("cons").risk_words)


class RefreshEntriesTest(QueueCase):
    def test_an_approval_takes_it_out_of_the_queue_and_ends_the_lease(self) -> None:
        QueueEntry.objects.filter(definition=self.definition("push")).update(
            holder=self.reviewer.user,
            lease_token="t",
            leased_until=timezone.now() + timedelta(minutes=5),
        )
        self.review("push", self.reviewer.user)
        entry = self.entry("push")
        self.assertEqual((entry.state, entry.approvals), (QueueEntry.APPROVED, 1))
        self.assertEqual((entry.holder, entry.lease_token), (None, ""))

    def test_the_first_of_two_approvals_leaves_it_open_and_free(self) -> None:
        ReviewPolicy.objects.create(
            instance=self.instance, kind=Definition.API, approvals=2
        )
        QueueEntry.objects.filter(definition=self.definition("push")).update(
            holder=self.reviewer.user,
            lease_token="t",
            leased_until=timezone.now() + timedelta(minutes=5),
        )
        self.review("push", self.reviewer.user)
        entry = self.entry("push")
        self.assertEqual(
            (entry.state, entry.approvals, entry.needed, entry.holder_id),
            (QueueEntry.OPEN, 1, 2, None),
        )

    def test_a_dropped_approval_raises_the_risk_and_a_new_one_lowers_it(self) -> None:
        before = self.entry("push").risk
        first = self.review("push", self.reviewer.user)
        ended(first)
        refresh_entries([first.definition_id])
        entry = self.entry("push")
        self.assertEqual((entry.state, entry.dropped), (QueueEntry.OPEN, True))
        self.assertEqual(entry.risk, before + 40)
        self.review("push", self.reviewer.user)
        self.assertEqual(
            (self.entry("push").dropped, self.entry("push").risk), (False, before)
        )

    def test_an_undone_approval_is_no_dropped_one(self) -> None:
        review = self.review("push", self.reviewer.user)
        ended(review, ReviewEnd.UNDONE)
        refresh_entries([review.definition_id])
        self.assertFalse(self.entry("push").dropped)

    def test_what_was_sent_back_afterwards_is_not_dropped_any_more(self) -> None:
        ended(self.review("push", self.reviewer.user))
        ended(self.review("push", self.maintainer.user, Review.RETRANSLATE))
        refresh_entries([self.definition("push").pk])
        self.assertFalse(self.entry("push").dropped)

    def test_since_when_it_waits_moves_with_the_state_only(self) -> None:
        before = self.entry("push").changed_at
        refresh_entries([self.definition("push").pk])
        self.assertEqual(self.entry("push").changed_at, before)
        self.review("push", self.reviewer.user)
        self.assertGreater(self.entry("push").changed_at, before)

    def test_it_takes_the_same_few_queries_however_many_there_are(self) -> None:
        ids = [self.definition(name).pk for name in ("push", "size", "cons", "Stack")]
        for pk in ids:
            reviewed(Definition.objects.get(pk=pk), self.reviewer.user)
        with self.assertMostQueries(7):
            refresh_entries(ids)


class LinksTest(QueueCase):
    """What links to the source say about the risk follows at once."""

    def test_a_link_by_hand_takes_its_reason_away_and_a_rejection_brings_it(
        self,
    ) -> None:
        cons = self.definition("cons")
        self.assertEqual(self.entry("cons").risk_words, "no link to the source")
        item = Item.objects.get(qualified_name="helper")
        link_item(self.curator.user, cons, item)
        self.assertEqual(self.entry("cons").risk_words, "")
        unlink_item(self.curator.user, cons, item)
        self.assertEqual(self.entry("cons").risk_words, "no link to the source")

    def test_a_source_that_is_given_later_weighs_all_anew(self) -> None:
        done = import_tiny(None, self.team, tiny("late"))
        entry = QueueEntry.objects.get(
            instance=done.revision.instance, definition__lean_name="cons"
        )
        self.assertEqual(entry.risk_words, "")
        import_tiny(None, self.team, tiny("late"), source())
        entry.refresh_from_db()
        self.assertEqual(entry.risk_words, "no link to the source")
        revision = done.revision.instance.revisions.get(is_current=True)
        self.assertEqual(place_entries(revision), 0)
