"""Approvals and compiled terms: bound, ended and brought back by what a build tells. No Lean here: the hashes are made up."""

from __future__ import annotations

from curation.instances.models import DefinitionTerm, TermBuild
from curation.reviews.actions.settle_revision import why
from curation.reviews.actions.withdraw_review import withdraw_review
from curation.reviews.models import Notification, QueueEntry, Review, TermBasis
from curation.reviews.undo import undo_act
from tests.curation.reviews.built import OTHER, RENAMED, build
from tests.curation.reviews.made import CONS, CONS_LINE, PUSH, SIZE, ReviewCase, impl
from workbench.access.models import Membership
from workbench.events.models import Event


class SettleTermsTest(ReviewCase):
    def latest(self, name: str = PUSH) -> Review:
        """The newest decision of the reviewer on `name`."""
        rows = Review.objects.filter(definition=self.definition(name))
        newest = rows.filter(reviewer=self.reviewer.user).order_by("-pk").first()
        assert newest is not None
        return newest

    def bound_to(self, review: Review) -> list[str]:
        rows = TermBasis.objects.filter(review=review).order_by("pk")
        return [
            f"{basis.term.build.toolchain}: {basis.term.term_hash}" for basis in rows
        ]

    def drop_by_renaming(self) -> Review:
        """An approval of `push` on a built revision, which the text level dropped; its revision is not built yet."""
        build(self.now())
        review = self.approve(PUSH)
        self.import_again(impl=impl(cons=RENAMED))
        review.refresh_from_db()
        self.assertFalse(review.standing)
        return review

    # ---------- what an approval is bound to ----------

    def test_an_approval_is_bound_to_the_term_where_one_is_known(self) -> None:
        build(self.now(), {SIZE: ""})
        self.assertEqual(
            self.bound_to(self.approve(PUSH)), ["pocket 4.35.0: term of push"]
        )
        self.assertEqual(self.bound_to(self.approve(SIZE)), [])
        told = [
            event.data for event in Event.objects.filter(verb="translation.approved")
        ]
        self.assertIn("bound to compiled terms (pocket 4.35.0)", "".join(told))
        self.assertIn("bound to text", "".join(told))

    def test_a_build_binds_what_was_approved_before(self) -> None:
        review = self.approve(PUSH)
        self.import_again(impl=impl() + "\n-- a remark\n")
        build(self.now())
        build(self.now(), kind="elan")
        self.assertEqual(
            self.bound_to(review),
            ["pocket 4.35.0: term of push", "elan 4.35.0: term of push"],
        )
        self.assertTrue(self.latest().standing)

    def test_what_builds_tell_differently_is_not_believed(self) -> None:
        build(self.now())
        build(self.now(), {PUSH: "something else"}, grader="another")
        self.assertEqual(TermBuild.objects.count(), 2)
        self.assertEqual(
            DefinitionTerm.objects.filter(build__grader_digest="another").count(), 1
        )
        self.assertEqual(self.bound_to(self.approve(PUSH)), [])
        self.assertEqual(build(self.now()), 0)

    # ---------- equal terms ----------

    def test_what_text_alone_dropped_counts_again_when_it_compiles_to_the_same(
        self,
    ) -> None:
        fallen = self.drop_by_renaming()
        self.assertEqual(self.entry(PUSH).state, QueueEntry.OPEN)
        build(self.now())
        again = self.latest()
        self.assertNotEqual(again, fallen)
        self.assertTrue(again.standing)
        self.assertEqual(again.read_hash, fallen.read_hash)
        self.assertEqual(self.entry(PUSH).state, QueueEntry.APPROVED)
        event = Event.objects.get(verb="review.restored")
        self.assertTrue(event.implicit)
        self.assertIsNone(event.actor)
        self.assertIn(
            f"r{self.now().number} compiles to the same",
            Notification.objects.get(kind="again").words,
        )
        # It holds on this text from now on, without another build.
        self.import_again(impl=impl(cons=RENAMED) + "\n-- a remark\n")
        self.assertTrue(self.latest().standing)
        self.assertEqual(self.latest(), again)

    def test_an_older_revision_that_is_built_late_tells_what_was_read(self) -> None:
        first = self.now()
        self.approve(PUSH)
        self.import_again(impl=impl(cons=RENAMED))
        build(self.now())
        self.assertFalse(self.latest().standing)
        build(first)
        self.assertTrue(self.latest().standing)

    def test_its_own_text_is_bound_as_text(self) -> None:
        build(self.now())
        self.approve(CONS)
        self.import_again(impl=impl(cons=RENAMED))
        build(self.now())
        self.assertFalse(self.latest(CONS).standing)

    def test_an_attribute_below_is_bound_as_text(self) -> None:
        build(self.now())
        self.approve(PUSH)
        self.import_again(impl=impl(cons=f"@[simp] {CONS_LINE}"))
        build(self.now())
        self.assertFalse(self.latest().standing)

    def test_another_toolchain_says_nothing(self) -> None:
        self.drop_by_renaming()
        build(self.now(), kind="elan")
        self.assertFalse(self.latest().standing)

    # ---------- what a person decided ----------

    def test_what_a_person_took_back_does_not_come_back(self) -> None:
        build(self.now())
        withdraw_review(self.reviewer.user, self.approve(PUSH))
        self.import_again(impl=impl(cons=RENAMED))
        build(self.now())
        self.assertFalse(self.latest().standing)

    def test_nor_what_was_taken_back_after_it_had_dropped(self) -> None:
        fallen = self.drop_by_renaming()
        withdraw_review(self.reviewer.user, fallen)
        build(self.now())
        self.assertFalse(self.latest().standing)
        self.assertTrue(Event.objects.filter(verb="review.withdrawn").exists())

    def test_nor_what_undoing_the_act_took_back_after_it_had_dropped(self) -> None:
        build(self.now())
        self.approve(PUSH)
        event = Event.objects.get(verb="translation.approved")
        self.import_again(impl=impl(cons=RENAMED))
        done = undo_act(self.reviewer.user, event.correlation, expected=[event.number])
        self.assertEqual(len(done.done), 1)
        build(self.now())
        self.assertFalse(self.latest().standing)

    def test_what_came_back_is_taken_back_by_what_it_continues(self) -> None:
        fallen = self.drop_by_renaming()
        build(self.now())
        withdraw_review(self.reviewer.user, fallen)
        self.assertFalse(self.latest().standing)

    def test_nor_what_was_decided_anew_and_taken_back(self) -> None:
        self.drop_by_renaming()
        withdraw_review(self.reviewer.user, self.approve(PUSH))
        build(self.now())
        self.assertFalse(Review.objects.filter(standing=True).exists())

    def test_a_newer_decision_stands_as_it_is(self) -> None:
        self.drop_by_renaming()
        self.skip(PUSH)
        build(self.now())
        self.assertEqual(self.latest().decision, Review.SKIP)
        self.assertEqual(Review.objects.filter(standing=True).count(), 1)

    def test_who_may_review_no_longer_does_not_approve_again(self) -> None:
        self.drop_by_renaming()
        Membership.objects.filter(user=self.reviewer.user).delete()
        build(self.now())
        self.assertFalse(self.latest().standing)

    # ---------- other terms ----------

    def test_another_term_drops_what_the_text_kept_and_names_the_way(self) -> None:
        build(self.now())
        on_push, on_size = self.approve(PUSH), self.approve(SIZE)
        self.import_again(impl=impl() + "\n-- a remark\n")
        build(self.now(), {CONS: "other", PUSH: "follows"})
        on_push.refresh_from_db()
        on_size.refresh_from_db()
        self.assertEqual((on_push.standing, on_size.standing), (False, True))
        self.assertEqual(on_push.end.steps, [PUSH, CONS])
        self.assertEqual(
            why(on_push.end), "push → cons: cons compiles to something else"
        )
        self.assertTrue(self.entry(PUSH).dropped)
        self.assertIn("compiles to something else", Notification.objects.get().words)

    def test_a_term_that_differs_by_itself_is_told_as_such(self) -> None:
        build(self.now())
        review = self.approve(PUSH)
        self.import_again(impl=impl() + "\n-- a remark\n")
        build(self.now(), {PUSH: "other"})
        review.refresh_from_db()
        self.assertEqual(
            why(review.end), "with the same text, it compiles to something else"
        )

    def test_a_term_that_was_another_one_in_between_leaves_it_to_a_person(self) -> None:
        build(self.now())
        self.approve(PUSH)
        self.import_again(impl=impl(cons=OTHER))
        build(self.now(), {CONS: "other", PUSH: "follows"})
        self.import_again(impl=impl(cons=RENAMED))
        build(self.now())
        self.assertFalse(self.latest().standing)

    def test_what_a_term_ended_only_a_person_lets_count_again(self) -> None:
        build(self.now())
        self.approve(PUSH)
        self.import_again(impl=impl() + "\n-- a remark\n")
        build(self.now(), {PUSH: "other"})
        self.import_again()
        build(self.now())
        self.assertFalse(self.latest().standing)
