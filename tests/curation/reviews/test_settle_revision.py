from __future__ import annotations

from curation.reviews.models import Notification, QueueEntry, Retranslation, ReviewEnd
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
