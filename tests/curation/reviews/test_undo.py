"""Undo everything that one act did: exact preview, as one act, in the history itself."""

from __future__ import annotations

import uuid

from curation.reviews.actions.add_comment import About, open_thread
from curation.reviews.actions.approve_translation import approve_translation
from curation.reviews.actions.assign_entry import assign_entry
from curation.reviews.actions.edit_comment import edit_comment
from curation.reviews.actions.request_retranslation import request_retranslation
from curation.reviews.actions.resolve_thread import resolve_thread
from curation.reviews.actions.restore_review import NoLongerHolds, restore_review
from curation.reviews.actions.skip_definition import skip_definition
from curation.reviews.actions.withdraw_review import withdraw_review
from curation.reviews.actions.write_translation import write_translation
from curation.reviews.models import QueueEntry, Retranslation, Review, Thread
from curation.reviews.undo import Act, ActMoved, Undone, act_of, undo_act
from tests.curation.instances.made import IMPL, import_tiny, tiny
from tests.curation.reviews.queued import QueueCase
from workbench.access.models import Membership, User
from workbench.events.correlation import correlated
from workbench.events.models import Event


class UndoCase(QueueCase):
    def setUp(self) -> None:
        super().setUp()
        self.act = uuid.uuid4()

    def approve(self, name: str, reviewer: User | None = None) -> Review:
        """Approve the current text of `name`, in the act under test."""
        placement = self.placement(name)
        with correlated(self.act):
            return approve_translation(
                reviewer or self.reviewer.user,
                placement.definition,
                number=placement.translation.number,
                read_hash=placement.meaning_hash,
            )

    def write(self, name: str, text: str, author: User | None = None) -> None:
        """Write `text` as the next version of `name`, in the act under test."""
        placement = self.placement(name)
        with correlated(self.act):
            write_translation(
                author or self.curator.user,
                placement.definition,
                text,
                base=placement.translation,
            )

    def seen(self, user: User | None = None) -> Act:
        return act_of(user or self.reviewer.user, self.act)

    def undo(self, user: User | None = None) -> Undone:
        user = user or self.reviewer.user
        expected = [step.event.number for step in self.seen(user).possible]
        with correlated(uuid.uuid4()):
            return undo_act(user, self.act, expected=expected)

    def state(self, name: str) -> str:
        return self.entry(name).state


class UndoActTest(UndoCase):
    def test_it_undoes_many_approvals_as_one_act(self) -> None:
        for name in ("push", "size", "cons"):
            self.approve(name)
        undone = self.undo()
        self.assertEqual((len(undone.done), undone.left), (3, []))
        for name in ("push", "size", "cons"):
            self.assertEqual(self.state(name), QueueEntry.OPEN)
        self.assertFalse(Review.objects.filter(standing=True).exists())
        event = self.assertEvent(
            "act.undone", by=self.reviewer.user, undone=3, left=0, act=str(self.act)
        )
        same = Event.objects.filter(correlation=event.correlation)
        self.assertEqual(same.filter(verb="review.withdrawn").count(), 3)

    def test_undoing_can_be_undone(self) -> None:
        self.approve("push")
        self.undo()
        self.act = Event.objects.get(verb="act.undone").correlation
        undone = self.undo()
        self.assertEqual(len(undone.done), 1)
        self.assertEqual(self.state("push"), QueueEntry.APPROVED)
        review = Review.objects.get(standing=True)
        self.assertEqual(review.reviewer, self.reviewer.user)

    def test_what_counts_no_longer_stays_and_says_why(self) -> None:
        review = self.approve("push")
        self.approve("size")
        withdraw_review(self.reviewer.user, review)
        act = self.seen()
        self.assertEqual(
            [step.obstacle for step in act.refused],
            ["it counts no longer: it was undone"],
        )
        undone = self.undo()
        self.assertEqual((len(undone.done), len(undone.left)), (1, 1))

    def test_what_moved_since_the_preview_changes_nothing(self) -> None:
        review = self.approve("push")
        self.approve("size")
        expected = [step.event.number for step in self.seen().possible]
        withdraw_review(self.reviewer.user, review)
        with self.assertNoEvent(), self.assertRaises(ActMoved) as moved:
            undo_act(self.reviewer.user, self.act, expected=expected)
        self.assertEqual(len(moved.exception.act.possible), 1)
        self.assertEqual(self.state("size"), QueueEntry.APPROVED)

    def test_a_skip_and_a_request_are_taken_back(self) -> None:
        push, size = self.placement("push"), self.placement("size")
        with correlated(self.act):
            skip_definition(self.reviewer.user, push.definition, number=1, words="?")
            request_retranslation(
                self.reviewer.user, size.definition, number=1, read_hash=size.meaning_hash,
                reason="other", words="no",
            )  # fmt: skip
        self.assertTrue(self.entry("push").skipped)
        self.assertEqual(self.state("size"), QueueEntry.SENT_BACK)
        self.assertEqual(len(self.undo().done), 2)
        self.assertFalse(self.entry("push").skipped)
        self.assertEqual(self.state("size"), QueueEntry.OPEN)
        self.assertEqual(Retranslation.objects.get().state, Retranslation.WITHDRAWN)

    def test_an_edit_is_taken_back_and_what_dropped_by_it_counts_again(self) -> None:
        own, self.act = self.act, uuid.uuid4()
        self.approve("push")
        self.act = own
        before = self.placement("cons").translation.text
        self.write("cons", "def cons (n : Nat) (xs : List Nat) : List Nat := xs")
        self.assertTrue(self.entry("push").dropped)
        act = self.seen(self.curator.user)
        self.assertEqual(len(act.possible), 2)
        undone = self.undo(self.curator.user)
        self.assertEqual((len(undone.done), undone.left), (2, []))
        self.assertEqual(self.placement("cons").translation.text, before)
        self.assertEqual(self.state("push"), QueueEntry.APPROVED)

    def test_an_edit_that_others_built_on_is_not_taken_back(self) -> None:
        self.write("cons", "def cons (n : Nat) (xs : List Nat) : List Nat := xs")
        mine, self.act = self.act, uuid.uuid4()
        self.write(
            "cons", "def cons (n : Nat) (xs : List Nat) : List Nat := n :: n :: xs"
        )
        self.act = mine
        act = self.seen(self.curator.user)
        self.assertEqual(
            [step.obstacle for step in act.refused], ["it has moved on to version 3"]
        )

    def test_an_assignment_goes_back_to_who_had_it(self) -> None:
        push = self.definition("push")
        assign_entry(self.curator.user, push, self.maintainer.user)
        with correlated(self.act):
            assign_entry(self.curator.user, push, self.reviewer.user)
        self.assertEqual(len(self.undo(self.curator.user).done), 1)
        self.assertEqual(self.entry("push").assignee, self.maintainer.user)

    def test_an_assignment_that_was_changed_since_stays(self) -> None:
        push = self.definition("push")
        with correlated(self.act):
            assign_entry(self.curator.user, push, self.reviewer.user)
        assign_entry(self.curator.user, push, None)
        act = self.seen(self.curator.user)
        self.assertEqual(act.refused[0].obstacle, "it was given to nobody since")

    def test_others_acts_are_undone_by_a_maintainer_only(self) -> None:
        self.approve("push")
        act = self.seen(self.curator.user)
        self.assertEqual(
            act.refused[0].obstacle, "reviewer did it; a maintainer may undo it"
        )
        self.assertEqual(len(self.undo(self.maintainer.user).done), 1)

    def test_what_was_dropped_and_decided_anew_is_not_brought_back(self) -> None:
        own, self.act = self.act, uuid.uuid4()
        self.approve("push")
        self.act = own
        self.write("cons", "def cons (n : Nat) (xs : List Nat) : List Nat := xs")
        self.act = uuid.uuid4()
        self.approve("push")
        self.act = own
        undone = self.undo(self.curator.user)
        # The text goes back, and with it falls what was approved on the newer one; the older approval counts again.
        self.assertEqual(len(undone.done), 2)
        self.assertEqual(Review.objects.filter(standing=True).count(), 1)

    def test_nobody_else_lets_count_again_what_its_reviewer_took_back(self) -> None:
        review = self.approve("push")
        self.undo()
        self.act = Event.objects.get(verb="act.undone").correlation
        theirs = self.seen(self.maintainer.user)
        self.assertEqual(
            theirs.refused[0].obstacle,
            "reviewer took it back: only they let it count again",
        )
        with self.assertRaises(NoLongerHolds):
            restore_review(self.maintainer.user, review)
        self.assertEqual(self.state("push"), QueueEntry.OPEN)
        self.assertEqual(len(self.undo().done), 1)
        self.assertEqual(self.state("push"), QueueEntry.APPROVED)

    def test_an_edit_undone_does_not_bring_back_what_was_taken_back_meanwhile(
        self,
    ) -> None:
        """Whether it was taken back after it had dropped, or given anew on the newer text and taken back there."""
        own = self.act
        for anew in (False, True):
            self.act = uuid.uuid4()
            review = self.approve("push")
            self.act = own = uuid.uuid4()
            self.write("cons", "def cons (n : Nat) (xs : List Nat) : List Nat := xs")
            self.act = uuid.uuid4()
            withdraw_review(
                self.reviewer.user, self.approve("push") if anew else review
            )
            self.act = own
            undone = self.undo(self.curator.user)
            self.assertEqual(len(undone.done), 1)
            self.assertEqual(
                undone.left[0].obstacle,
                "reviewer took it back: only they let it count again",
            )
            self.assertFalse(Review.objects.filter(standing=True).exists())
            self.assertEqual(self.state("push"), QueueEntry.OPEN)

    def test_a_maintainer_lets_count_again_what_a_maintainer_took_back(self) -> None:
        self.act = uuid.uuid4()
        review = self.approve("push")
        self.act = uuid.uuid4()
        with correlated(self.act):
            withdraw_review(self.maintainer.user, review)
        self.assertEqual(len(self.undo(self.maintainer.user).done), 1)
        self.assertEqual(self.state("push"), QueueEntry.APPROVED)

    def test_who_may_not_review_any_more_does_not_get_a_decision_back(self) -> None:
        self.approve("push")
        self.undo()
        Membership.objects.filter(user=self.reviewer.user).update(role="reader")
        self.act = Event.objects.get(verb="act.undone").correlation
        act = self.seen(self.maintainer.user)
        self.assertEqual(
            act.refused[0].obstacle, "reviewer may not review here any more"
        )

    def test_an_import_stays_and_says_what_to_do_instead(self) -> None:
        with correlated(self.act):
            import_tiny(
                self.curator.user, self.team, tiny(impl=IMPL.replace("n :: xs", "xs"))
            )
        (step,) = self.seen(self.curator.user).steps
        self.assertFalse(step.possible)
        self.assertIn("export-instance tiny --revision 1 --out DIR", step.obstacle)
        first = Event.objects.filter(verb="revision.imported").earliest("number")
        (step,) = act_of(self.reviewer.user, first.correlation).steps
        self.assertIn("nothing to go back to", step.obstacle)

    def test_what_was_said_is_hidden_and_shown_again_with_its_history(self) -> None:
        push = self.placement("push")
        about = About(push.translation, None, push.translation.text, 1, 1)
        with correlated(self.act):
            comment = open_thread(
                self.reviewer.user, push.definition, about, "Why?", "k"
            )
        self.assertEqual(len(self.undo().done), 1)
        comment.refresh_from_db()
        self.assertTrue(comment.hidden)
        self.assertEqual(comment.texts.get().text, "Why?")
        self.act = Event.objects.get(verb="act.undone").correlation
        self.assertEqual(len(self.undo().done), 1)
        comment.refresh_from_db()
        self.assertFalse(comment.hidden)

    def test_an_edit_of_a_comment_says_again_what_it_said_before(self) -> None:
        push = self.placement("push")
        about = About(push.translation, None, push.translation.text, 1, 1)
        comment = open_thread(self.reviewer.user, push.definition, about, "Why?", "k")
        with correlated(self.act):
            edit_comment(self.reviewer.user, comment, "Because.")
            resolve_thread(self.reviewer.user, comment.thread)
        refused = self.seen(self.maintainer.user).refused
        self.assertIn("only who wrote a comment", refused[0].obstacle)
        self.assertEqual(len(self.undo().done), 2)
        self.assertEqual(comment.texts.latest("pk").text, "Why?")
        self.assertIsNone(Thread.objects.get().resolved_at)
        self.assertIn("changed again since", self.seen().refused[-1].obstacle)


class ActPageTest(UndoCase):
    def address(self, more: str = "") -> str:
        return f"/review/acts/{self.act}/{more}"

    def test_it_shows_what_undoing_would_do_and_does_it(self) -> None:
        self.approve("push")
        page = self.reviewer.get(self.address())
        self.assertContains(page, "the approval is taken back")
        number = page.context["act"].possible[0].event.number
        answer = self.reviewer.post(self.address("undo/"), {"event": [number]})
        correlation = Event.objects.get(verb="act.undone").correlation
        self.assertRedirects(answer, f"/review/acts/{correlation}/")
        self.assertEqual(self.state("push"), QueueEntry.OPEN)

    def test_a_preview_that_is_old_is_shown_anew(self) -> None:
        review = self.approve("push")
        number = self.seen().possible[0].event.number
        withdraw_review(self.reviewer.user, review)
        sent = {"event": [number], "reason": 'too "fast"'}
        answer = self.reviewer.post(self.address("undo/"), sent)
        self.assertContains(answer, "Nothing was undone", status_code=409)
        self.assertContains(answer, "too &quot;fast&quot;", status_code=409)
        self.approve("size")
        answer = self.reviewer.post(self.address("undo/"), sent)
        self.assertContains(answer, 'value="too &quot;fast&quot;"', status_code=409)

    def test_numbers_of_events_that_none_can_have_are_no_part_of_the_preview(
        self,
    ) -> None:
        self.approve("push")
        answer = self.reviewer.post(self.address("undo/"), {"event": ["9" * 5000]})
        self.assertContains(answer, "Nothing was undone", status_code=409)
        self.assertEqual(self.state("push"), QueueEntry.APPROVED)

    def test_the_event_log_leads_there(self) -> None:
        self.approve("push")
        page = self.reviewer.get("/events/", {"correlation": str(self.act)})
        self.assertContains(page, self.address())
        other = Event.objects.get(verb="revision.imported").correlation
        page = self.reviewer.get("/events/", {"correlation": str(other)})
        self.assertContains(page, f"/review/acts/{other}/")

    def test_a_reader_sees_why_it_is_not_theirs_to_undo(self) -> None:
        self.approve("push")
        self.assertContains(self.reader.get(self.address()), "a maintainer may undo it")
        number = Event.objects.get(correlation=self.act, implicit=False).number
        answer = self.reader.post(self.address("undo/"), {"event": [number]})
        self.assertEqual(answer.status_code, 409)
        self.assertEqual(self.state("push"), QueueEntry.APPROVED)

    def test_another_team_finds_no_such_act(self) -> None:
        self.approve("push")
        self.assertHidden(self.outsider.get(self.address()))
        self.assertHidden(self.outsider.post(self.address("undo/")))
        self.assertAsksForLogin(self.visitor.get(self.address()))
        self.assertEqual(self.reviewer.get(self.address("undo/")).status_code, 405)
