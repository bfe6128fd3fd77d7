"""The decisions as actions: what they write, what they refuse, what they tell."""

from __future__ import annotations

from typing import Any

from django.db import transaction

from curation.reviews.actions.approve_translation import approve_translation
from curation.reviews.actions.assign_request import CannotWrite, assign_request
from curation.reviews.actions.request_retranslation import request_retranslation
from curation.reviews.actions.set_policy import set_policy
from curation.reviews.actions.skip_definition import skip_definition
from curation.reviews.actions.withdraw_request import withdraw_request
from curation.reviews.actions.withdraw_review import withdraw_review
from curation.reviews.deciding import (
    BadWords,
    NoReview,
    OwnWork,
    RequestClosed,
    StaleTranslation,
)
from curation.reviews.models import (
    Notification,
    QueueEntry,
    Retranslation,
    Review,
    ReviewEnd,
    Thread,
)
from tests.curation.reviews.made import CONS, CONS_LINE, PUSH, SIZE, ReviewCase
from workbench.access.rights import AccessDenied

CHANGED = CONS_LINE.replace("n :: xs", "xs ++ [n]")


class ApproveTest(ReviewCase):
    def test_it_is_bound_to_what_was_read(self) -> None:
        review = self.approve(PUSH)
        now = self.placement(PUSH)
        self.assertEqual(review.read_hash, now.meaning_hash)
        self.assertEqual(
            (review.translation, review.revision), (now.translation, now.revision)
        )
        self.assertTrue(review.standing)
        self.assertEqual(self.entry(PUSH).state, QueueEntry.APPROVED)
        self.assertEvent(
            "translation.approved",
            by=self.reviewer.user,
            about=now.definition,
            version=1,
            read_hash=now.meaning_hash,
        )

    def test_another_version_or_another_meaning_is_stale(self) -> None:
        now = self.placement(PUSH)
        for number, read_hash in ((2, now.meaning_hash), (1, "0" * 64), (1, "")):
            with self.assertRaises(StaleTranslation) as stale:
                approve_translation(
                    self.reviewer.user,
                    now.definition,
                    number=number,
                    read_hash=read_hash,
                )
            self.assertEqual(stale.exception.current, now)
        self.assertFalse(Review.objects.exists())

    def test_a_removed_definition_is_stale_without_a_placement(self) -> None:
        now = self.placement("spec_push_size")
        self.import_again(spec="import Tiny.Harness\n")
        with self.assertRaises(StaleTranslation) as stale:
            approve_translation(
                self.reviewer.user, now.definition, number=1, read_hash=now.meaning_hash
            )
        self.assertIsNone(stale.exception.current)

    def test_a_double_click_gives_the_same_review(self) -> None:
        first = self.approve(PUSH)
        with self.assertNoEvent():
            self.assertEqual(self.approve(PUSH), first)
        self.assertEqual(Review.objects.count(), 1)

    def test_the_author_is_refused_also_for_what_an_agent_wrote(self) -> None:
        for origin, text in (("person", CHANGED), ("agent", CONS_LINE + " ++ []")):
            self.write(CONS, text, origin=origin)
            with self.assertRaises(OwnWork):
                self.approve(CONS, self.curator.user)
            self.approve(CONS)

    def test_who_imported_a_text_has_not_written_it(self) -> None:
        self.assertTrue(self.approve(PUSH, self.curator.user).standing)

    def test_two_approvals_are_of_two_people(self) -> None:
        set_policy(self.maintainer.user, self.instance, "helper", 2)
        self.approve(CONS)
        self.approve(CONS)
        self.assertEqual(self.entry(CONS).state, QueueEntry.OPEN)
        self.approve(CONS, self.curator.user)
        self.assertEqual(self.entry(CONS).state, QueueEntry.APPROVED)

    def test_the_harness_needs_no_review(self) -> None:
        with self.assertRaises(NoReview):
            self.approve("canonical")

    def test_it_takes_the_right_to_review_and_an_instance_that_is_not_hidden(
        self,
    ) -> None:
        for who in (self.reader, self.submitter, self.adjudicator, self.outsider):
            with self.assertRaises(AccessDenied):
                self.approve(PUSH, who.user)
        self.instance.__class__.objects.update(hidden=True)
        with self.assertRaises(AccessDenied):
            self.approve(PUSH)

    def test_deciding_anew_ends_the_older_decision(self) -> None:
        first = self.skip(PUSH)
        second = self.approve(PUSH)
        first.refresh_from_db()
        self.assertFalse(first.standing)
        self.assertEqual(first.end.kind, ReviewEnd.SUPERSEDED)
        self.assertTrue(second.standing)
        self.assertFalse(self.entry(PUSH).skipped)


class RequestTest(ReviewCase):
    def test_it_opens_work_and_tells_who_wrote_the_text(self) -> None:
        self.write(CONS, CHANGED)
        request = self.send_back(CONS, words="Empty lists?\r\nAnd long ones?")
        self.assertEqual(request.review.words, "Empty lists?\nAnd long ones?")
        self.assertEqual(request.state, Retranslation.OPEN)
        told = Notification.objects.get(person=self.curator.user)
        self.assertEqual(told.kind, Notification.REQUEST)
        self.assertIn("Empty lists?", told.words)
        self.assertEvent(
            "translation.sent_back", by=self.reviewer.user, code="semantics"
        )

    def test_nobody_is_told_of_a_text_that_was_imported(self) -> None:
        self.send_back(CONS)
        self.assertFalse(Notification.objects.exists())

    def test_comments_go_along_if_they_are_of_this_definition(self) -> None:
        now = self.placement(CONS)
        thread, other = (
            Thread.objects.create(
                instance=self.instance,
                definition=self.definition(name),
                line_start=1,
                line_end=1,
                quote="x",
                opened_by=self.reviewer.user,
            )
            for name in (CONS, PUSH)
        )
        given: dict[str, Any] = {
            "number": 1,
            "read_hash": now.meaning_hash,
            "reason": "other",
            "words": "See the comment.",
        }
        with self.assertRaises(BadWords):
            request_retranslation(
                self.reviewer.user, now.definition, threads=[other], **given
            )
        request = request_retranslation(
            self.reviewer.user, now.definition, threads=[thread], **given
        )
        self.assertEqual(list(request.threads.all()), [thread])

    def test_a_double_click_gives_the_same_request(self) -> None:
        first = self.send_back(CONS)
        self.assertEqual(self.send_back(CONS), first)
        self.assertNotEqual(self.send_back(CONS, words="Something else."), first)
        first.refresh_from_db()
        self.assertEqual(first.state, Retranslation.WITHDRAWN)
        self.assertEqual(Retranslation.objects.filter(state="open").count(), 1)

    def test_it_needs_words_and_a_reason(self) -> None:
        with self.assertRaises(BadWords):
            self.send_back(CONS, words=" \n ")
        now = self.placement(CONS)
        with self.assertRaisesRegex(ValueError, "'odd'; expected one of semantics"):
            request_retranslation(
                self.reviewer.user,
                now.definition,
                number=1,
                read_hash=now.meaning_hash,
                reason="odd",
                words="x",
            )
        self.assertFalse(Review.objects.exists())

    def test_the_requests_of_two_reviewers_are_answered_by_one_version(self) -> None:
        first = self.send_back(CONS)
        second = self.send_back(CONS, self.maintainer.user, "Slow.")
        version = self.write(CONS, CHANGED, words="Rewritten.", answers=first)
        for request in (first, second):
            request.refresh_from_db()
            self.assertEqual(request.state, Retranslation.ANSWERED)
            self.assertEqual(
                (request.answer, request.answer_words), (version, "Rewritten.")
            )
            self.assertFalse(Review.objects.get(pk=request.review_id).standing)
            told = Notification.objects.get(person=request.review.reviewer)
            self.assertEqual(told.kind, Notification.ANSWER)
            self.assertIn("Version 2 by curator", told.words)
        self.assertEqual(self.entry(CONS).state, QueueEntry.OPEN)

    def test_a_change_of_what_it_uses_does_not_answer_it(self) -> None:
        request = self.send_back(PUSH)
        self.write(CONS, CHANGED)
        request.refresh_from_db()
        self.assertEqual(request.state, Retranslation.OPEN)
        self.assertEqual(self.entry(PUSH).state, QueueEntry.SENT_BACK)

    def test_it_is_withdrawn_with_its_decision_and_the_other_way_round(self) -> None:
        first, second = self.send_back(CONS), self.send_back(PUSH)
        withdraw_review(self.reviewer.user, first.review)
        withdraw_request(self.reviewer.user, second, reason="It is right after all.")
        for request in (first, second):
            request.refresh_from_db()
            self.assertEqual(request.state, Retranslation.WITHDRAWN)
            self.assertEqual(
                Review.objects.get(pk=request.review_id).end.kind, "undone"
            )
            with self.assertRaises(RequestClosed):
                withdraw_request(self.reviewer.user, request)
        self.assertEvent(
            "review.withdrawn", by=self.reviewer.user, decision="retranslate"
        )

    def test_it_is_given_to_who_may_write(self) -> None:
        request = self.send_back(CONS)
        with self.assertRaises(CannotWrite):
            assign_request(self.curator.user, request, self.reader.user)
        with self.assertRaises(AccessDenied):
            assign_request(self.reviewer.user, request, self.curator.user)
        given = assign_request(self.maintainer.user, request, self.curator.user)
        self.assertEqual(given.assignee, self.curator.user)
        told = Notification.objects.get(person=self.curator.user)
        self.assertEqual(told.kind, Notification.ASSIGNED)
        with self.assertNoEvent():
            assign_request(self.maintainer.user, request, self.curator.user)


class SkipTest(ReviewCase):
    def test_it_moves_to_the_second_pool_and_back_when_its_meaning_changes(
        self,
    ) -> None:
        review = self.skip(PUSH, words="What is a stack?")
        self.assertTrue(self.entry(PUSH).skipped)
        self.assertEvent("definition.skipped", by=self.reviewer.user)
        self.write(CONS, CHANGED)
        self.assertFalse(self.entry(PUSH).skipped)
        self.assertEqual(ReviewEnd.objects.get(review=review).kind, ReviewEnd.USED)
        self.assertFalse(Notification.objects.exists())

    def test_it_needs_words(self) -> None:
        with self.assertRaises(BadWords):
            self.skip(PUSH, words="")

    def test_an_older_version_is_stale(self) -> None:
        definition = self.definition(CONS)
        self.write(CONS, CHANGED)
        with self.assertRaises(StaleTranslation):
            skip_definition(self.reviewer.user, definition, number=1, words="x")


class WithdrawTest(ReviewCase):
    def test_it_counts_no_longer_and_does_not_look_like_a_drop(self) -> None:
        review = self.approve(PUSH)
        withdraw_review(self.reviewer.user, review, reason="Too quick.")
        entry = self.entry(PUSH)
        self.assertEqual((entry.state, entry.dropped), (QueueEntry.OPEN, False))
        with self.assertNoEvent():
            withdraw_review(self.reviewer.user, review)

    def test_that_of_somebody_else_takes_a_maintainer(self) -> None:
        review = self.approve(PUSH)
        with self.assertRaises(AccessDenied):
            withdraw_review(self.curator.user, review)
        self.assertFalse(withdraw_review(self.maintainer.user, review).standing)


class PolicyTest(ReviewCase):
    def test_what_is_approved_follows_the_policy(self) -> None:
        self.approve(SIZE)
        for approvals, state in (
            (2, QueueEntry.OPEN),
            (1, QueueEntry.APPROVED),
            (0, QueueEntry.EXEMPT),
        ):
            policy = set_policy(self.maintainer.user, self.instance, "api", approvals)
            self.assertEqual(policy.approvals, approvals)
            self.assertEqual(self.entry(SIZE).state, state)
        self.assertEvent("policy.set", about=self.instance, before=1, approvals=0)

    def test_it_takes_a_maintainer_and_makes_sense(self) -> None:
        with self.assertRaises(AccessDenied):
            set_policy(self.curator.user, self.instance, "api", 2)
        for kind, approvals in (("odd", 1), ("harness", 1), ("api", 3), ("api", -1)):
            with self.assertRaises(ValueError), transaction.atomic():
                set_policy(self.maintainer.user, self.instance, kind, approvals)
        with self.assertNoEvent():
            set_policy(self.maintainer.user, self.instance, "api", 1)
