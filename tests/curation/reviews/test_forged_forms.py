"""Forms that nobody was given: others' decisions and comments, pages of something else, addresses elsewhere."""

from __future__ import annotations

import uuid

from django.urls import reverse

from curation.reviews.actions.add_comment import About, open_thread
from curation.reviews.models import Comment, Retranslation, Review, Thread
from tests.curation.reviews.made import CONS, PUSH, SIZE
from tests.curation.reviews.test_decide_views import DecideCase
from workbench.access.models import Membership
from workbench.events.correlation import correlated
from workbench.events.models import Event

ELSEWHERE = (
    "https://evil.example/", "//evil.example/", "/\\evil.example/", "\\\\evil.example", "javascript:alert(1)",
    "https:evil.example", "\thttps://evil.example/",
)  # fmt: skip


class ForgedFormsTest(DecideCase):
    """The reviewer has decided and said something; another reviewer, the reader made one, forges forms."""

    def setUp(self) -> None:
        super().setUp()
        Membership.objects.filter(user=self.reader.user).update(role="reviewer")
        self.forger = self.reader
        self.act = uuid.uuid4()
        with correlated(self.act):
            self.review = self.approve(PUSH)
            now = self.placement(PUSH)
            about = About(now.translation, None, now.translation.text, 1, 1)
            self.comment = open_thread(
                self.reviewer.user, now.definition, about, "Mine.", "k"
            )
        self.events = Event.objects.count()

    def unchanged(self) -> None:
        self.assertTrue(Review.objects.get(pk=self.review.pk).standing)
        self.assertEqual(Review.objects.filter(standing=True).count(), 1)
        comment = Comment.objects.get()
        self.assertFalse(comment.hidden)
        self.assertEqual(comment.texts.get().text, "Mine.")
        self.assertIsNone(Thread.objects.get().resolved_at)
        self.assertEqual(Event.objects.count(), self.events)

    def test_others_decisions_and_comments_stay(self) -> None:
        edit = reverse("reviews:edit_comment", args=[self.comment.pk])
        hide = reverse("reviews:hide_comment", args=[self.comment.pk])
        withdraw = self.url("withdraw", PUSH, self.review.pk)
        self.assertForbidden(self.forger.post(withdraw, {"words": "I am you."}))
        self.assertForbidden(self.forger.post(edit, {"text": "Theirs."}))
        self.assertForbidden(self.forger.post(hide, {"hidden": "1"}))
        self.unchanged()

    def test_an_act_of_others_is_not_undone_whatever_numbers_the_form_names(
        self,
    ) -> None:
        undo = reverse("reviews:undo", args=[self.act])
        numbers = Event.objects.filter(correlation=self.act).values_list(
            "number", flat=True
        )
        for chosen in (list(numbers), list(numbers)[:1]):
            response = self.forger.post(undo, {"event": chosen})
            self.assertEqual(response.status_code, 409)
        self.forger.post(undo, {})
        self.unchanged()

    def test_a_decision_of_another_definition_is_not_found_under_this_one(self) -> None:
        for person in (self.reviewer, self.maintainer):
            response = person.post(self.url("withdraw", SIZE, self.review.pk), {})
            self.assertHidden(response)
        self.unchanged()

    def test_a_request_is_taken_back_by_who_made_it_or_a_maintainer(self) -> None:
        asked = self.send_back(CONS)
        url = self.url("withdraw_request", CONS, asked.pk)
        self.assertForbidden(self.forger.post(url, {}))
        self.assertHidden(
            self.reviewer.post(self.url("withdraw_request", PUSH, asked.pk), {})
        )
        asked.refresh_from_db()
        self.assertEqual(asked.state, Retranslation.OPEN)

    def test_the_page_of_another_definition_approves_nothing(self) -> None:
        sent = self.page(SIZE)
        response = self.forger.post(self.url("approve", CONS), sent)
        self.assertEqual(response.status_code, 409)
        self.unchanged()

    def test_no_form_leads_to_another_site(self) -> None:
        for number, address in enumerate(ELSEWHERE):
            more = {"next": address, "queue": address}
            name = (CONS, SIZE)[number % 2]
            sent = self.page(name, **more)
            for htmx in (False, True):
                response = self.forger.post(self.url("approve", name), sent, htmx=htmx)
                to = response["HX-Redirect"] if htmx else response["Location"]
                self.assertRegex(to, r"^/(instances|review)/", address)
                self.assertNotRegex(to, r"^/[/\\]", address)
            given = Review.objects.get(
                reviewer=self.forger.user,
                definition=self.definition(name),
                standing=True,
            )
            back = self.forger.post(self.url("withdraw", name, given.pk), more)
            page = self.definition(name).pk
            self.assertEqual(
                back["Location"],
                f"/instances/{self.instance.slug}/definitions/{page}/#decisions",
                address,
            )
            refused = self.forger.post(self.url("skip", name), {**sent, "words": ""})
            self.assertEqual(refused.status_code, 422)
            self.assertNotIn(f'href="{address}', refused.content.decode())
            self.assertNotIn(f'action="{address}', refused.content.decode())
