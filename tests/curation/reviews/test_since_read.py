"""What counts now, what changed since a page was read, and why decisions fell."""

from __future__ import annotations

from curation.reviews.actions.settle_revision import why
from curation.reviews.actions.withdraw_review import withdraw_review
from curation.reviews.causes import causes_of
from curation.reviews.models import ReviewEnd
from curation.reviews.selectors.since_read import changes_since_read
from curation.reviews.selectors.standing import open_requests, standing
from tests.curation.reviews.made import (
    CONS,
    CONS_LINE,
    PUSH,
    SIZE,
    ReviewCase,
    impl,
)

CHANGED = CONS_LINE.replace("n :: xs", "xs ++ [n]")


class StandingTest(ReviewCase):
    def test_it_tells_the_decisions_that_count_by_definition(self) -> None:
        first = self.approve(PUSH)
        second = self.approve(PUSH, self.curator.user)
        withdraw_review(self.reviewer.user, self.approve(SIZE))
        ids = [self.definition(name).pk for name in (PUSH, SIZE, CONS)]
        with self.assertMostQueries(1):
            found = standing(ids)
        self.assertEqual(found, {ids[0]: [first, second]})

    def test_it_tells_the_open_requests(self) -> None:
        request = self.send_back(CONS)
        ids = [self.definition(name).pk for name in (PUSH, CONS)]
        with self.assertMostQueries(1):
            self.assertEqual(open_requests(ids), {ids[1]: [request]})
        self.write(CONS, CHANGED)
        self.assertEqual(open_requests(ids), {})


class ChangesSinceReadTest(ReviewCase):
    def test_what_changed_since_a_page_was_read_is_found_by_its_hash(self) -> None:
        read = self.placement(PUSH)
        self.write(CONS, CHANGED)
        self.write(CONS, CONS_LINE.replace("n :: xs", "xs"))
        found = changes_since_read(read.definition, 1, read.meaning_hash)
        assert found is not None
        self.assertEqual(found.revision.number, 1)
        self.assertEqual([one.steps for one in found.used], [[PUSH, CONS]])
        self.assertIsNone(changes_since_read(read.definition, 1, "0" * 64))
        self.assertIsNone(changes_since_read(read.definition, 5, ""))


class CausesTest(ReviewCase):
    def names(self, path: tuple[int, ...]) -> list[str]:
        causes = causes_of(self.now())
        return [causes.name(key) for key in path]

    def test_nothing_changed_for_what_uses_no_change(self) -> None:
        self.write(CONS, CHANGED)
        causes = causes_of(self.now())
        self.assertIsNone(causes.of(self.definition(SIZE).pk))
        own = causes.of(self.definition(CONS).pk)
        assert own is not None
        self.assertEqual(self.names(own.path), [CONS])

    def test_a_name_that_means_something_else_now_is_a_cause_of_its_own(self) -> None:
        shadow = "namespace Near\ndef base := 1\nend Near\n"
        text = "def base := 0\n{}namespace Near\ndef far := base\nend Near\n"
        line = "-- !benchmark @start global_aux"
        self.import_again(impl=impl().replace(line, text.format("") + line))
        review = self.approve("Near.far")
        self.import_again(impl=impl().replace(line, text.format(shadow) + line))
        end = ReviewEnd.objects.get(review=review)
        self.assertEqual((end.kind, end.steps), ("used", ["Near.far", "Near.base"]))
        self.assertIsNone(end.before)
        self.assertIn("base is new", why(end))

    def test_an_older_revision_can_be_compared_with(self) -> None:
        first = self.now()
        self.write(CONS, CHANGED)
        self.write(SIZE, self.text(SIZE).replace("length", "length + 0"))
        cause = causes_of(self.now(), first).of(self.definition(PUSH).pk)
        assert cause is not None
        self.assertEqual(self.names(cause.path), [PUSH, CONS])
        self.assertIsNone(causes_of(self.now()).of(self.definition(PUSH).pk))
