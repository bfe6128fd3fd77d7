"""What the review loop shows on the home page and in the top bar."""

from __future__ import annotations

from curation.reviews import leases
from curation.reviews.entries import refresh_entries
from curation.reviews.models import QueueEntry, Retranslation, Review
from tests.curation.reviews.queued import QueueCase, ended


class HomePanelTest(QueueCase):
    def mine(self) -> list[tuple[str, str]]:
        """Return (kind, name) of what the reviewer's home page lists."""
        answer = self.curator.get("/")
        return [(one.kind, one.definition.lean_name) for one in answer.context["mine"]]

    def test_most_urgent_first_what_i_hold_then_what_fell_then_what_is_next(
        self,
    ) -> None:
        me = self.curator.user
        ended(self.review("push", me))
        refresh_entries([self.definition("push").pk])
        QueueEntry.objects.filter(definition=self.definition("size")).update(
            assignee=me
        )
        leases.claim(me, self.definition("cons"))
        sent = self.review("spec_push_size", self.reviewer.user, Review.RETRANSLATE)
        Retranslation.objects.create(
            review=sent, definition=sent.definition, assignee=me
        )
        refresh_entries([sent.definition_id])
        self.assertEqual(self.mine()[0], ("review", "cons"))
        self.assertCountEqual(
            self.mine()[1:3], [("re-review", "push"), ("given to you", "size")]
        )
        self.assertEqual(self.mine()[3], ("re-translate", "spec_push_size"))
        self.assertEqual(self.mine()[4], ("review", "Stack"))
        self.assertEqual(len(self.mine()), 7)

    def test_a_reader_has_no_such_panel(self) -> None:
        self.assertNotContains(self.reader.get("/"), "My queue")
        self.assertContains(self.reviewer.get("/"), "My queue")


class CountTest(QueueCase):
    def test_the_top_bar_counts_what_the_list_behind_it_shows(self) -> None:
        link = '<a href="/review/" aria-current="page">Review<span class="count">{}</span></a>'
        leases.claim(self.maintainer.user, self.definition("push"))
        self.review("size", self.maintainer.user, Review.SKIP)
        self.review("cons", self.maintainer.user)
        page = self.reviewer.get("/review/")
        self.assertEqual(page.context["total"], 6)
        self.assertEqual(len(page.context["rows"]), 6)
        self.assertContains(page, link.format(6), html=True)

    def test_nothing_is_no_number(self) -> None:
        self.assertContains(
            self.outsider.get("/"), '<a href="/review/">Review</a>', html=True
        )
