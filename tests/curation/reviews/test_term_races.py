"""Builds that tell of terms while people decide, on a real database."""

from __future__ import annotations

from functools import partial

from curation.instances.models import Revision
from curation.instances.selectors.terms import terms_of
from curation.reviews.actions.withdraw_review import withdraw_review
from curation.reviews.leases import claim_next
from curation.reviews.models import Review, ReviewEnd
from curation.reviews.selectors.queue import QueueFilter
from curation.reviews.sticking import ground_of, judge
from tests.case import CommittedTestCase
from tests.curation.instances.made import import_tiny, tiny
from tests.curation.reviews.built import RENAMED, build
from tests.curation.reviews.made import CONS, CONS_LINE, PUSH, SIZE, Acts, impl
from tests.curation.reviews.races import ground
from tests.workbench.jobs.test_races import at_once
from workbench.events.log import broken_links
from workbench.events.models import Event

ROUNDS = 4


class TermRacesTest(Acts, CommittedTestCase):
    def setUp(self) -> None:
        super().setUp()
        self.place = ground(self.team)
        self.instance = self.place.instance
        self.people = (self.users["reviewer"], self.users["maintainer"])

    def revise(self, cons: str, number: int) -> None:
        text = impl(cons=cons) + f"\n-- {number}\n"
        import_tiny(None, self.team, tiny(impl=text))

    def test_an_approval_is_bound_whether_it_or_the_build_came_first(self) -> None:
        for number in range(ROUNDS):
            self.revise(CONS_LINE.replace("n ::", f"{number} :: n ::"), number)
            pages = [self.placement(name) for name in (CONS, PUSH, SIZE)]
            results = at_once(
                partial(build, self.now()),
                *(
                    partial(self.approve_page, page, user)
                    for page in pages
                    for user in self.people
                ),
                *(partial(claim_next, user, QueueFilter()) for user in self.people),
            )
            failed = [one for one in results if isinstance(one, BaseException)]
            self.assertEqual(failed, [])
            for review in Review.objects.filter(revision=self.now()):
                self.assertEqual(review.term_bases.count(), 1, review)
        self.assertEqual(list(broken_links()), [])

    def test_a_build_and_a_person_never_both_have_their_way(self) -> None:
        """What fell by text comes back by the build, is taken back, or is given anew: whoever came first, one word stands."""
        taker, giver = self.people
        build(self.now())
        for number in range(ROUNDS):
            old = {user: self.approve(PUSH, user) for user in self.people}
            self.revise((RENAMED, CONS_LINE)[number % 2], number)
            page = self.placement(PUSH)
            results = at_once(
                partial(build, self.now()),
                partial(withdraw_review, taker, old[taker]),
                partial(self.approve_page, page, giver),
            )
            failed = [one for one in results if isinstance(one, BaseException)]
            self.assertEqual(failed, [])
            standing = Review.objects.filter(standing=True, definition=page.definition)
            self.assertEqual([one.reviewer for one in standing], [giver])
            self.assertEqual(standing.get(), results[2])
            taken = Event.objects.filter(verb="review.withdrawn").count()
            self.assertEqual(taken, number + 1)
            build(self.now(), kind="elan")
            self.assertEqual(standing.count(), 1)
        self.whole()

    def test_builds_that_tell_differently_never_leave_two_words(self) -> None:
        """Two graders disagree on what `push` compiles to while one takes back, another approves, and a third is kept out."""
        taker, giver = self.people
        for number in range(ROUNDS):
            self.revise(CONS_LINE.replace("n ::", f"{number} :: n ::"), 2 * number)
            build(self.now())
            old = {user: self.approve(PUSH, user) for user in self.people}
            self.revise(
                CONS_LINE.replace("n ::", f"{number} ::  m ::").replace("(n :", "(m :"),
                2 * number + 1,
            )
            page = self.placement(PUSH)
            self.assertFalse(Review.objects.filter(standing=True).exists())
            other = {PUSH: f"another term {number}"}
            results = at_once(
                partial(build, self.now(), grader="one"),
                partial(build, self.now(), other, grader="two"),
                partial(withdraw_review, taker, old[taker]),
                partial(self.approve_page, page, giver),
                partial(withdraw_review, taker, old[taker]),
            )
            failed = [one for one in results if isinstance(one, BaseException)]
            self.assertEqual(failed, [])
            standing = Review.objects.filter(standing=True, definition=page.definition)
            self.assertEqual([one.reviewer for one in standing], [giver])
            self.assertEqual(standing.get(), results[3])
            self.assertNotIn(page.definition_id, terms_told(self.now()))
            build(self.now(), grader="three")
            self.assertEqual(standing.get(), results[3])
        self.whole()

    def whole(self) -> None:
        """Every decision that counts no longer has one end, the queue says what the reviews say, the record is whole."""
        ended = Review.objects.filter(standing=False)
        self.assertEqual(ReviewEnd.objects.count(), ended.count())
        self.assertFalse(ended.filter(end=None).exists())
        self.assertEqual(list(self.place._queue()), [])
        ground = ground_of(self.now())
        for review in Review.objects.filter(standing=True):
            self.assertTrue(judge([review], ground)[review.pk].holds, review)
        self.assertEqual(list(broken_links()), [])


def terms_told(revision: Revision) -> set[int]:
    """Return the definitions of which the builds of `revision` are believed."""
    return {definition for definition, terms in terms_of(revision).items() if terms}
