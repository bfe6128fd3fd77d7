from __future__ import annotations

from django.urls import reverse

from curation.reviews.models import QueueEntry, ReviewPolicy
from curation.reviews.selectors.policies import policies
from tests.curation.reviews.made import CONS, SIZE, ReviewCase


class PolicyPageTest(ReviewCase):
    @property
    def url(self) -> str:
        return reverse("reviews:policy", args=[self.instance.slug])

    def test_it_tells_what_each_kind_needs_and_has(self) -> None:
        self.approve(SIZE)
        with self.assertMostQueries(2):
            found = {row.kind: row for row in policies(self.instance)}
        api = found["api"]
        self.assertEqual((api.needed, api.definitions), (1, 2))
        self.assertEqual((api.approved, api.once, api.twice), (1, 1, 0))
        self.assertNotIn("harness", found)
        page = self.reader.get(self.url)
        self.assertContains(page, "one approval")
        self.assertNotContains(page, "<select name=")

    def test_a_maintainer_sets_it_and_the_queue_follows(self) -> None:
        self.approve(CONS)
        response = self.maintainer.client.post(
            self.url, {"kind": "helper", "approvals": "2"}, follow=True
        )
        self.assertContains(response, "Helper: two approvals, of two people.")
        self.assertEqual(self.entry(CONS).state, QueueEntry.OPEN)
        answer = self.maintainer.post(
            self.url, {"kind": "helper", "approvals": "0"}, htmx=True
        )
        self.assertEqual(answer["HX-Redirect"], self.url)
        self.assertEqual(self.entry(CONS).state, QueueEntry.EXEMPT)

    def test_what_makes_no_sense_changes_nothing(self) -> None:
        for sent in (
            {},
            {"kind": "api"},
            {"kind": "harness", "approvals": "1"},
            {"kind": "api", "approvals": "3"},
        ):
            response = self.maintainer.post(self.url, sent)
            self.assertContains(response, "Choose a kind", status_code=422)
        self.assertFalse(ReviewPolicy.objects.exists())

    def test_it_takes_a_maintainer_of_the_team(self) -> None:
        sent = {"kind": "api", "approvals": "2"}
        self.assertForbidden(self.curator.post(self.url, sent))
        self.assertHidden(self.outsider.post(self.url, sent))
        self.assertHidden(self.outsider.get(self.url))
        self.assertAsksForLogin(self.visitor.get(self.url))
        self.assertEqual(self.maintainer.client.delete(self.url).status_code, 405)
        self.assertFalse(ReviewPolicy.objects.exists())
