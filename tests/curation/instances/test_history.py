"""The history of an instance: one line an act, typed, filterable."""

from __future__ import annotations

from typing import Any

from curation.reviews import leases
from curation.reviews.actions.bulk import approve_many
from curation.reviews.models import Review
from curation.reviews.selectors.bulk import Read
from tests.curation.reviews.queued import QueueCase
from workbench.events.correlation import correlated

HISTORY = "/instances/tiny/history/"


class HistoryTest(QueueCase):
    def verbs(self, query: str = "") -> list[tuple[str, int]]:
        """Return (verb, further events) of each line."""
        acts = self.reader.get(f"{HISTORY}{query}").context["acts"]
        return [(act.event.verb, len(act.others)) for act in acts]

    def approve_two(self) -> None:
        placements: list[Any] = [self.placement("push"), self.placement("size")]
        with correlated():
            approve_many(
                self.reviewer.user,
                [Read(row.definition_id, 1, row.meaning_hash) for row in placements],
            )

    def test_forty_changes_of_one_click_are_one_line_that_can_be_undone(self) -> None:
        self.approve_two()
        self.assertEqual(self.verbs()[0], ("translation.approved", 1))
        act = Review.objects.first()
        assert act is not None
        page = self.reviewer.get(HISTORY)
        self.assertContains(page, f"/review/acts/{act.correlation}/")

    def test_it_is_filtered_by_what_and_who(self) -> None:
        self.approve_two()
        self.assertEqual(
            self.verbs("?verb=revision.imported"), [("revision.imported", 0)]
        )
        self.assertEqual(self.verbs("?actor=curator"), [("revision.imported", 0)])
        self.assertEqual(self.verbs("?until=2001-01-01"), [])
        push = self.definition("push").pk
        self.assertEqual(
            self.verbs(f"?definition={push}"), [("translation.approved", 0)]
        )

    def test_leases_are_told_to_who_asks_for_them(self) -> None:
        leases.claim(self.reviewer.user, self.definition("push"))
        self.assertNotIn(("lease.taken", 0), self.verbs())
        self.assertEqual(self.verbs("?verb=lease.taken"), [("lease.taken", 0)])

    def test_a_filter_that_cannot_be_read_is_said(self) -> None:
        answer = self.reader.get(f"{HISTORY}?since=yesterday")
        self.assertContains(answer, "expected a date", status_code=400)

    def test_the_filters_of_another_page_change_nothing(self) -> None:
        self.assertEqual(
            self.verbs("?instance=999999&kind=team&object=3"), self.verbs()
        )

    def test_its_queries_do_not_grow(self) -> None:
        self.approve_two()
        self.reader.get(HISTORY)
        with self.assertMostQueries(20):
            self.reader.get(HISTORY)
