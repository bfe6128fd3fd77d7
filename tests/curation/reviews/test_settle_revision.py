from __future__ import annotations

from curation.reviews.actions.settle_revision import why
from curation.reviews.entries import place_entries
from curation.reviews.models import (
    Mute,
    Notification,
    QueueEntry,
    Retranslation,
    Review,
    ReviewEnd,
)
from tests.curation.instances.made import SPEC
from tests.curation.reviews.made import (
    CONS,
    CONS_LINE,
    PUSH,
    SIZE,
    SPEC_NAME,
    ReviewCase,
    impl,
)
from workbench.events.models import Event


class SettleRevisionTest(ReviewCase):
    def test_a_change_drops_what_uses_it_and_names_the_path(self) -> None:
        on_spec, on_size = self.approve(SPEC_NAME), self.approve(SIZE)
        before = self.placement(CONS).translation
        self.import_again(impl=impl(cons=CONS_LINE.replace("n :: xs", "xs ++ [n]")))
        end = ReviewEnd.objects.get(review=on_spec)
        self.assertEqual(end.kind, ReviewEnd.USED)
        self.assertEqual(end.steps, [SPEC_NAME, PUSH, CONS])
        self.assertEqual(
            (end.before, end.after), (before, self.placement(CONS).translation)
        )
        on_spec.refresh_from_db()
        on_size.refresh_from_db()
        self.assertEqual((on_spec.standing, on_size.standing), (False, True))
        entry = self.entry(SPEC_NAME)
        self.assertEqual((entry.state, entry.dropped), (QueueEntry.OPEN, True))

    def test_an_edit_drops_and_tells_the_reviewer_once(self) -> None:
        review = self.approve(PUSH)
        self.write(CONS, CONS_LINE.replace("n :: xs", "xs ++ [n]"))
        told = Notification.objects.get(person=self.reviewer.user)
        self.assertEqual(told.kind, Notification.DROP)
        self.assertIn("push → cons: cons changed", told.words)
        dropped = Event.objects.get(verb="review.dropped")
        self.assertTrue(dropped.implicit)
        self.assertEqual(dropped.actor, self.curator.user)
        self.assertFalse(review.__class__.objects.get(pk=review.pk).standing)

    def test_the_next_version_answers_the_request(self) -> None:
        request = self.send_back(CONS, words="Append at the end.")
        self.assertEqual(self.entry(CONS).state, QueueEntry.SENT_BACK)
        version = self.write(
            CONS, CONS_LINE.replace("n :: xs", "xs ++ [n]"), words="Appended."
        )
        request.refresh_from_db()
        self.assertEqual(request.state, Retranslation.ANSWERED)
        self.assertEqual((request.answer, request.answer_words), (version, "Appended."))
        self.assertEqual(self.entry(CONS).state, QueueEntry.OPEN)

    def test_the_shortest_path_is_told_and_its_own_change_first(self) -> None:
        review = self.approve(SPEC_NAME)
        self.import_again(
            impl=impl(cons=CONS_LINE.replace("n :: xs", "xs")).replace(
                "s.items.length", "s.items.length + 0"
            )
        )
        # `size` is used by the spec itself, `cons` only through `push`.
        self.assertEqual(review_end(review).steps, [SPEC_NAME, SIZE])
        other = self.approve(SPEC_NAME)
        self.import_again(spec=SPEC.replace("+ 1", "+ 2"))
        end = review_end(other)
        self.assertEqual((end.kind, end.steps), (ReviewEnd.OWN, []))

    def test_a_definition_that_is_removed_ends_its_reviews_and_its_request(
        self,
    ) -> None:
        review = self.approve(SPEC_NAME, self.curator.user)
        request = self.send_back(SPEC_NAME)
        self.import_again(spec="import Tiny.Harness\n")
        for one in (review, request.review):
            self.assertEqual(review_end(one).kind, ReviewEnd.REMOVED)
        request.refresh_from_db()
        self.assertEqual(request.state, Retranslation.WITHDRAWN)
        event = Event.objects.get(verb="review.dropped")
        self.assertEqual(event.reason, "the definition was removed")

    def test_one_that_comes_back_is_to_be_reviewed_anew(self) -> None:
        self.approve(SPEC_NAME)
        self.import_again(spec="import Tiny.Harness\n")
        self.import_again()
        self.assertEqual(self.entry(SPEC_NAME).state, QueueEntry.OPEN)

    def test_a_helper_that_is_removed_is_the_cause(self) -> None:
        review = self.approve(PUSH)
        gone = impl(cons="").replace("cons n s.items", "n :: s.items")
        self.import_again(impl=gone)
        end = review_end(review)
        self.assertEqual(end.kind, ReviewEnd.OWN)
        other = self.approve(SPEC_NAME)
        self.import_again()
        end = review_end(other)
        self.assertEqual((end.kind, end.steps), (ReviewEnd.USED, [SPEC_NAME, PUSH]))

    def test_a_command_around_it_drops_it_though_no_text_changed(self) -> None:
        on_cons, on_spec = self.approve(CONS), self.approve(SPEC_NAME)
        line = "-- !benchmark @start global_aux"
        self.import_again(impl=impl().replace(line, f"open Nat\n{line}"))
        self.assertEqual(self.placement(CONS).translation.number, 1)
        self.assertIn("commands around it", why(review_end(on_cons)))
        end = review_end(on_spec)
        self.assertEqual(end.kind, ReviewEnd.USED)
        self.assertIn("commands around it", why(end))

    def test_an_instance_that_is_found_by_search_drops_what_may_rely_on_it(
        self,
    ) -> None:
        line = "abbrev PushSig"
        instance = "instance : Inhabited Stack := ⟨⟨[]⟩⟩\n"
        with_instance = impl().replace(line, f"{instance}{line}", 1)
        self.import_again(impl=with_instance)
        review = self.approve(PUSH)
        self.import_again(impl=with_instance.replace("⟨⟨[]⟩⟩", "⟨⟨[0]⟩⟩"))
        end = review_end(review)
        self.assertEqual(end.kind, ReviewEnd.USED)
        self.assertIn("Inhabited Stack", end.steps[-1])

    def test_a_comment_or_white_space_drops_nothing(self) -> None:
        reviews = [self.approve(name) for name in (CONS, PUSH, SIZE, SPEC_NAME)]
        text = impl().replace("/-- Put one on top. -/", "/-- On top. -/")
        text = text.replace("n :: xs", "n  ::  xs -- in front\n")
        text = text.replace("  fun s n", "      fun s n")
        self.import_again(impl=text)
        self.assertEqual(self.now().changed, 2)
        for review in reviews:
            review.refresh_from_db()
            self.assertTrue(review.standing, review)

    def test_whoever_muted_drops_hears_nothing_and_the_event_stays(self) -> None:
        self.approve(CONS)
        Mute.objects.create(person=self.reviewer.user, kind=Notification.DROP)
        self.write(CONS, CONS_LINE.replace("n :: xs", "xs"))
        self.assertFalse(Notification.objects.exists())
        self.assertTrue(Event.objects.filter(verb="review.dropped").exists())

    def test_an_import_answers_a_request_as_any_next_version_does(self) -> None:
        request = self.send_back(CONS)
        self.import_again(impl=impl(cons=CONS_LINE.replace("n :: xs", "xs")))
        request.refresh_from_db()
        self.assertEqual(request.state, Retranslation.ANSWERED)
        self.assertEqual(request.answer, self.placement(CONS).translation)

    def test_the_queue_is_what_the_reviews_say(self) -> None:
        self.approve(SPEC_NAME)
        self.skip(SIZE)
        self.send_back(PUSH)
        self.write(CONS, CONS_LINE.replace("n :: xs", "xs"))
        self.assertEqual(place_entries(self.now()), 0)

    def test_how_many_queries_it_takes_does_not_grow_with_the_reviews(self) -> None:
        self.approve(CONS)
        few = self.queries_of_a_change("xs")
        for name in (CONS, PUSH, SPEC_NAME, SIZE):
            for who in (self.reviewer, self.curator, self.maintainer):
                if who is not self.curator or name != CONS:
                    self.approve(name, who.user)
        many = self.queries_of_a_change("n :: n :: xs")
        # Each drop is told to its reviewer and recorded: these are written one by one.
        self.assertLess(many - few, 8 * 12)

    def queries_of_a_change(self, body: str) -> int:
        with self.assertMostQueries(400) as captured:
            self.write(CONS, CONS_LINE.replace("n :: xs", body))
        return len(captured)


def review_end(review: Review) -> ReviewEnd:
    return ReviewEnd.objects.get(review=review)
