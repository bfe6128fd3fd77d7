from __future__ import annotations

import html
import json
import re
from typing import Any

from django.urls import reverse

from curation.reviews.models import QueueEntry, Retranslation, Review
from tests.case import HTMX, Persona
from tests.curation.reviews.made import CONS, CONS_LINE, PUSH, SIZE, ReviewCase
from workbench.access.models import Membership

CHANGED = CONS_LINE.replace("n :: xs", "xs ++ [n]")


class DecideCase(ReviewCase):
    def url(self, what: str, name: str = PUSH, *more: int) -> str:
        definition = self.definition(name)
        return reverse(
            f"reviews:{what}", args=[self.instance.slug, definition.pk, *more]
        )

    def page(self, name: str = PUSH, **more: Any) -> dict[str, Any]:
        """What the page of `name` sends along."""
        now = self.placement(name)
        sent = {"number": now.translation.number, "read_hash": now.meaning_hash}
        return {**sent, **more}

    def offer(self, who: Persona, answer: Any) -> tuple[str, dict[str, Any]]:
        """Return the address that the way back on the page after `answer` posts to, and what it sends along."""
        page = who.get(answer["Location"])
        found = re.search(r'hx-post="([^"]+/undo/)" hx-vals="([^"]+)"', page.text)
        assert found, "the page offers no undo"
        self.assertIn('data-key="z"', page.text)
        return found[1], json.loads(html.unescape(found[2]))


class ApproveViewTest(DecideCase):
    def test_it_approves_and_leads_to_the_next_definition(self) -> None:
        response = self.reviewer.post(self.url("approve"), self.page())
        self.assertEqual(response.status_code, 302)
        self.assertIn("/definitions/", response["Location"])
        self.assertNotIn(f"/{self.definition(PUSH).pk}/", response["Location"])
        self.assertEqual(self.entry(PUSH).state, QueueEntry.APPROVED)

    def test_htmx_is_led_on_by_a_header(self) -> None:
        response = self.reviewer.post(self.url("approve"), self.page(), htmx=True)
        self.assertEqual(response.status_code, 200)
        self.assertIn("/definitions/", response["HX-Redirect"])

    def test_an_outdated_page_is_answered_with_what_changed(self) -> None:
        sent = self.page()
        self.write(CONS, CHANGED)
        response = self.reviewer.post(self.url("approve"), sent)
        self.assertContains(response, "push → cons", status_code=409)
        self.assertContains(
            response, self.placement(PUSH).meaning_hash, status_code=409
        )
        self.assertFalse(Review.objects.exists())

    def test_an_outdated_text_is_answered_with_the_difference(self) -> None:
        sent = self.page(CONS)
        self.write(CONS, CHANGED)
        response = self.reviewer.post(self.url("approve", CONS), sent)
        self.assertContains(response, "v1 → v2", status_code=409)
        self.assertContains(response, "Approve version 2", status_code=409)

    def test_an_unknown_page_is_answered_without_a_difference(self) -> None:
        for sent in ({}, {"number": "x", "read_hash": "0"}, {"number": "9" * 30}):
            response = self.reviewer.post(self.url("approve"), sent)
            self.assertEqual(response.status_code, 409, sent)

    def test_who_wrote_it_is_told_that_somebody_else_has_to(self) -> None:
        self.write(PUSH, self.text(PUSH).replace("cons n", "cons (n + 0)"))
        response = self.curator.post(self.url("approve"), self.page())
        self.assertContains(response, "Somebody else has to approve", status_code=422)

    def test_a_role_taken_away_meanwhile_is_refused(self) -> None:
        sent = self.page()
        Membership.objects.filter(user=self.reviewer.user).update(role="reader")
        self.assertForbidden(self.reviewer.post(self.url("approve"), sent))
        self.assertFalse(Review.objects.exists())

    def test_a_reader_is_refused_and_a_stranger_sees_nothing(self) -> None:
        self.assertForbidden(self.reader.post(self.url("approve"), self.page()))
        self.assertHidden(self.outsider.post(self.url("approve"), self.page()))
        self.assertAsksForLogin(self.visitor.post(self.url("approve"), self.page()))

    def test_only_a_form_decides(self) -> None:
        for what in ("approve", "send_back", "skip"):
            self.assertEqual(self.reviewer.get(self.url(what)).status_code, 405)

    def test_the_words_of_somebody_whose_session_ended_come_back(self) -> None:
        sent = self.page(words="A long remark that took an hour.", reason="other")
        response = self.visitor.post(self.url("send_back"), sent)
        self.assertContains(response, "that took an hour", status_code=401)


class SendBackViewTest(DecideCase):
    def test_it_opens_a_request_and_leads_on(self) -> None:
        sent = self.page(words="Empty lists?", reason="missing_case")
        response = self.reviewer.post(self.url("send_back"), sent)
        self.assertEqual(response.status_code, 302)
        request = Retranslation.objects.get()
        self.assertEqual(request.review.reason, "missing_case")
        self.assertEqual(request.review.words, "Empty lists?")
        self.assertEqual(self.entry(PUSH).state, QueueEntry.SENT_BACK)

    def test_a_reason_and_words_are_needed_and_what_was_typed_stays(self) -> None:
        sent = self.page(words="Because </textarea><script>x", reason="")
        response = self.reviewer.post(self.url("send_back"), sent)
        self.assertContains(response, "Choose what is wrong", status_code=422)
        self.assertContains(response, "&lt;/textarea&gt;&lt;script", status_code=422)
        sent = self.page(words=" ", reason="other")
        response = self.reviewer.post(self.url("send_back"), sent, htmx=True)
        self.assertContains(response, "Say what has to change", status_code=422)

    def test_an_outdated_page_keeps_the_words_and_the_reason(self) -> None:
        sent = self.page(CONS, words="Wrong order.", reason="semantics")
        self.write(CONS, CHANGED)
        response = self.reviewer.post(self.url("send_back", CONS), sent)
        self.assertContains(response, "Wrong order.", status_code=409)
        self.assertContains(
            response, '<option value="semantics" selected>', status_code=409
        )
        self.assertFalse(Retranslation.objects.exists())

    def test_words_with_a_nul_or_of_a_megabyte_are_given_back(self) -> None:
        for words, status, said in (
            ("what I mean\0", 400, "null character"),
            ("x" * 1_048_576, 422, "at most 20,000"),
        ):
            sent = self.page(words=words, reason="other")
            response = self.reviewer.post(self.url("send_back"), sent)
            self.assertContains(response, said, status_code=status)
            self.assertContains(response, words[:11], status_code=status)
        self.assertFalse(Retranslation.objects.exists())


class SkipViewTest(DecideCase):
    def test_it_skips_with_words(self) -> None:
        response = self.reviewer.post(self.url("skip"), self.page(words="No idea."))
        self.assertEqual(response.status_code, 302)
        self.assertTrue(self.entry(PUSH).skipped)

    def test_it_asks_for_words(self) -> None:
        response = self.reviewer.post(self.url("skip"), self.page())
        self.assertContains(response, "Say why you skip it", status_code=422)


class UndoOfferTest(DecideCase):
    """The page after a decision offers to take it back, by `z`, as one act."""

    def test_each_decision_can_be_taken_back_at_once(self) -> None:
        for what, more, does in (
            ("approve", {}, "the approval is taken back"),
            (
                "send_back",
                {"words": "Why?", "reason": "other"},
                "the request is taken back",
            ),
            ("skip", {"words": "Hard."}, "it is in the first pool again"),
        ):
            with self.subTest(what):
                response = self.reviewer.post(self.url(what), self.page(**more))
                to, sent = self.offer(self.reviewer, response)
                answer = self.reviewer.post(to, sent, htmx=True)
                home = f"/definitions/{self.definition(PUSH).pk}/"
                self.assertIn(home, answer["HX-Redirect"])
                said = self.reviewer.get(answer["HX-Redirect"])
                self.assertContains(said, f"Undone: {PUSH}, {does}.")
                self.assertFalse(Review.objects.filter(standing=True).exists())
                self.assertEqual(self.entry(PUSH).state, QueueEntry.OPEN)
                self.assertEvent("act.undone", by=self.reviewer.user)

    def test_the_form_sent_twice_offers_the_same(self) -> None:
        sent = self.page()
        self.reviewer.post(self.url("approve"), sent)
        to, _ = self.offer(self.reviewer, self.reviewer.post(self.url("approve"), sent))
        self.assertIn(str(Review.objects.get().correlation), to)

    def test_nobody_else_takes_it_back_by_it(self) -> None:
        to, sent = self.offer(
            self.reviewer, self.reviewer.post(self.url("approve"), self.page())
        )
        self.curator.post(to, sent, htmx=True)
        self.assertHidden(self.outsider.post(to, sent, htmx=True))
        self.assertTrue(Review.objects.get().standing)

    def test_what_changed_meanwhile_is_said_on_the_page_of_the_act(self) -> None:
        to, sent = self.offer(
            self.reviewer, self.reviewer.post(self.url("approve"), self.page())
        )
        self.reviewer.post(to, sent, htmx=True)
        answer = self.reviewer.post(to, sent, htmx=True)
        self.assertEqual(answer["HX-Redirect"], to.removesuffix("undo/"))
        page = self.reviewer.get(answer["HX-Redirect"])
        self.assertContains(page, "Nothing was undone.")


class LostRoleTest(DecideCase):
    def test_who_lost_sight_keeps_the_words_and_learns_no_more_than_a_stranger(
        self,
    ) -> None:
        sent = self.page(words="A long remark that took an hour.", reason="other")
        Membership.objects.filter(user=self.reviewer.user).delete()
        for persona in (self.reviewer, self.outsider):
            page = persona.post(self.url("send_back"), sent)
            self.assertContains(page, "that took an hour", status_code=404)
            self.assertContains(
                page, "you may not see it or work on it any more", status_code=404
            )
            self.assertNotIn(f"{self.definition(PUSH)}<", page.text)
            piece = persona.post(self.url("send_back"), sent, htmx=True)
            self.assertEqual(piece["HX-Retarget"], "[data-problems]")
            self.assertContains(piece, "still in its field", status_code=404)
        gone = self.url("send_back").replace(str(self.definition(PUSH).pk), "999999")
        page = self.reviewer.post(gone, sent)
        self.assertContains(page, "work on it any more", status_code=404)


class WithdrawViewTest(DecideCase):
    def test_a_decision_is_taken_back_by_who_made_it(self) -> None:
        review = self.approve(SIZE)
        url = self.url("withdraw", SIZE, review.pk)
        self.assertForbidden(self.curator.post(url))
        self.assertHidden(self.outsider.post(url))
        self.assertEqual(self.reviewer.get(url).status_code, 405)
        response = self.reviewer.post(url)
        self.assertRedirects(
            response,
            reverse(
                "instances:definition",
                args=[self.instance.slug, self.definition(SIZE).pk],
            )
            + "#decisions",
            fetch_redirect_response=False,
        )
        self.assertEqual(self.entry(SIZE).state, QueueEntry.OPEN)

    def test_a_request_is_withdrawn_once(self) -> None:
        request = self.send_back(SIZE)
        url = self.url("withdraw_request", SIZE, request.pk)
        for words in ("The request is withdrawn.", "withdrawn meanwhile"):
            response = self.reviewer.client.post(url, follow=True)
            self.assertContains(response, words)
        self.assertEqual(self.entry(SIZE).state, QueueEntry.OPEN)

    def test_a_request_is_given_to_somebody_who_may_write(self) -> None:
        request = self.send_back(SIZE)
        url = self.url("assign_request", SIZE, request.pk)
        for name, words in (
            ("nobody-here", "Nobody is called nobody-here."),
            ("reader", "may not write in this instance"),
            ("maintainer", "The request is given to"),
            ("", "The request is given to nobody."),
        ):
            response = self.curator.client.post(url, {"assignee": name}, follow=True)
            self.assertContains(response, words)
        self.assertForbidden(self.reviewer.post(url, {"assignee": "curator"}))
        self.assertHidden(
            self.outsider.post(url, {"assignee": "curator"}, headers=HTMX)
        )


class AnswerTest(DecideCase):
    def test_the_page_shows_the_request_and_its_answer_beside_the_next_version(
        self,
    ) -> None:
        self.send_back(CONS, words="Append at the end.")
        definition = self.definition(CONS)
        url = f"/instances/{self.instance.slug}/definitions/{definition.pk}/"
        self.assertContains(self.curator.get(url), "Append at the end.")
        self.write(CONS, CHANGED, words="Appended.")
        page = self.reviewer.get(url)
        self.assertContains(page, "v2 by curator answers reviewer: wrong semantics.")
        self.assertContains(page, "<p>Append at the end.</p>")
        self.assertContains(page, "<p>Appended.</p>")
        self.write(CONS, f"{CHANGED} ++ []")
        self.assertNotContains(self.reviewer.get(url), "answers reviewer")
