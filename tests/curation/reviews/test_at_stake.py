from __future__ import annotations

from curation.reviews.selectors.at_stake import at_stake
from tests.curation.reviews.made import (
    CONS,
    CONS_LINE,
    PUSH,
    SIZE,
    SPEC_NAME,
    ReviewCase,
)


class AtStakeTest(ReviewCase):
    def test_it_is_what_a_change_then_drops(self) -> None:
        for name in (SPEC_NAME, SIZE, CONS, PUSH):
            self.approve(name)
        self.approve(CONS, self.maintainer.user)
        self.skip(PUSH, self.maintainer.user)
        placement = self.placement(CONS)
        with self.assertMostQueries(3):
            stake = at_stake(placement)
        self.assertEqual(stake.names, [CONS, PUSH, SPEC_NAME])
        self.assertEqual(stake.number, 4)
        self.write(CONS, CONS_LINE.replace("n :: xs", "xs"))
        for review in stake.approvals:
            review.refresh_from_db()
            self.assertFalse(review.standing)
        self.assertEqual(at_stake(self.placement(SIZE)).names, [SIZE])

    def test_the_editor_says_so(self) -> None:
        self.approve(PUSH)
        definition = self.definition(CONS)
        url = f"/instances/{self.instance.slug}/definitions/{definition.pk}/"
        page = self.curator.get(url, {"view": "edit"})
        self.assertContains(page, "drops 1 approval (push)")
