from __future__ import annotations

from typing import Any

from django.urls import reverse

from curation.instances.models import RevisionFinding, Translation
from curation.reviews.models import Draft
from tests.curation.reviews.made import CONS, CONS_LINE, PUSH, SIZE
from tests.curation.reviews.test_decide_views import DecideCase
from workbench.access.models import Membership

CHANGED = CONS_LINE.replace("n :: xs", "xs ++ [n]")


class WriteCase(DecideCase):
    def sent(self, text: str, **more: Any) -> dict[str, Any]:
        return {"text": text, "base": 1, **more}

    def number(self) -> int:
        return self.placement(CONS).translation.number


class SaveViewTest(WriteCase):
    def test_it_saves_a_version_and_shows_its_page(self) -> None:
        response = self.curator.post(
            self.url("save", CONS), self.sent(CHANGED, words="At the end.")
        )
        self.assertEqual(response.status_code, 302)
        self.assertIn(f"/definitions/{self.definition(CONS).pk}/", response["Location"])
        now = self.placement(CONS)
        self.assertEqual((now.translation.text, self.number()), (CHANGED, 2))
        self.assertEqual(now.revision.note, "At the end.")

    def test_its_page_offers_to_take_it_back(self) -> None:
        saved = self.curator.post(self.url("save", CONS), self.sent(CHANGED))
        to, sent = self.offer(self.curator, saved)
        self.curator.post(to, sent, htmx=True)
        self.assertEqual((self.text(CONS), self.number()), (CONS_LINE, 3))
        self.assertEvent("act.undone", by=self.curator.user)

    def test_one_that_dropped_approvals_is_undone_from_its_own_page(self) -> None:
        self.approve(PUSH)
        saved = self.curator.post(self.url("save", CONS), self.sent(CHANGED))
        page = self.curator.get(saved["Location"])
        self.assertContains(page, "1 approval dropped.")
        self.assertNotContains(page, 'data-key="z"')

    def test_htmx_is_led_on_by_a_header_and_a_next_address_is_kept(self) -> None:
        sent = self.sent(CHANGED, next="/instances/")
        response = self.curator.post(self.url("save", CONS), sent, htmx=True)
        self.assertEqual(response["HX-Redirect"], "/instances/")

    def test_a_late_save_brings_both_texts_and_their_merge(self) -> None:
        self.write(CONS, f"/-- Put in front. -/\n{CONS_LINE}", by=self.maintainer.user)
        response = self.curator.post(
            self.url("save", CONS), self.sent(CHANGED, words="mine </textarea>")
        )
        self.assertEqual(response.status_code, 409)
        page = response.content.decode()
        self.assertIn("by maintainer", page)
        self.assertIn("xs ++ [n]", page)
        self.assertIn("/-- Put in front. -/", page)
        self.assertIn("mine &lt;/textarea&gt;", page)
        self.assertIn('name="base" value="2"', page)
        merged = f"/-- Put in front. -/\n{CHANGED}"
        again = self.curator.post(self.url("save", CONS), self.sent(merged, base=2))
        self.assertEqual(again.status_code, 302)
        self.assertEqual(self.text(CONS), merged)

    def test_marks_of_a_merge_are_not_saved(self) -> None:
        text = f"<<<<<<< yours\n{CHANGED}\n=======\n{CONS_LINE}\n>>>>>>> now"
        response = self.curator.post(self.url("save", CONS), self.sent(text))
        self.assertContains(response, "marks of a merge", status_code=422)

    def test_a_refused_text_stands_on_the_page_with_its_line(self) -> None:
        for text, said in (
            ("def other := 1", "has to declare cons"),
            (f"{CHANGED}\n\ndef more := 1", "Line 25: more is declared here as well"),
            (f"{CONS_LINE} /- never", "Line 23: comment is never closed"),
            ("", "There is no text."),
            (f"{CONS_LINE}\n-- !benchmark @end code def=push", "benchmark marker"),
        ):
            response = self.curator.post(self.url("save", CONS), self.sent(text))
            self.assertContains(response, said, status_code=422)
            self.assertEqual(self.number(), 1)
            self.assertEqual(response.context["text"], text)

    def test_a_megabyte_is_refused_and_given_back(self) -> None:
        text = f"{CONS_LINE} -- {'x' * 1_048_576}"
        response = self.curator.post(self.url("save", CONS), self.sent(text))
        self.assertContains(response, "at most 1,000,000", status_code=422)
        self.assertEqual(response.context["text"], text)

    def test_a_nul_is_refused_and_the_text_given_back(self) -> None:
        response = self.curator.post(self.url("save", CONS), self.sent(f"{CHANGED}\0"))
        self.assertContains(response, "xs ++ [n]", status_code=400)
        self.assertEqual(self.number(), 1)

    def test_bidi_controls_are_saved_and_found(self) -> None:
        text = f'{CONS_LINE} -- </script> \u202e"'
        response = self.curator.post(self.url("save", CONS), self.sent(text))
        self.assertEqual(response.status_code, 302)
        self.assertEqual(self.text(CONS), text)
        found = RevisionFinding.objects.filter(revision=self.now(), code="text-bidi")
        self.assertTrue(found.exists())

    def test_a_double_click_saves_one_version(self) -> None:
        for _ in range(2):
            response = self.curator.post(self.url("save", CONS), self.sent(CHANGED))
            self.assertEqual(response.status_code, 302)
        self.assertEqual(self.number(), 2)

    def test_it_is_for_curators_of_the_team_and_for_forms(self) -> None:
        url = self.url("save", CONS)
        self.assertEqual(self.curator.get(url).status_code, 405)
        self.assertForbidden(self.reviewer.post(url, self.sent(CHANGED)))
        self.assertHidden(self.outsider.post(url, self.sent(CHANGED)))
        response = self.visitor.post(url, self.sent(CHANGED))
        self.assertContains(response, "xs ++ [n]", status_code=401)

    def test_a_role_taken_away_meanwhile_gives_the_text_back(self) -> None:
        Membership.objects.filter(user=self.curator.user).update(role="reviewer")
        response = self.curator.post(self.url("save", CONS), self.sent(CHANGED))
        self.assertContains(response, "xs ++ [n]", status_code=403)
        self.assertEqual(
            Translation.objects.filter(definition__lean_name=CONS).count(), 1
        )

    def test_a_base_that_never_was_is_refused_with_the_text(self) -> None:
        for base in ("", "7", "x"):
            response = self.curator.post(
                self.url("save", CONS), self.sent(CHANGED, base=base)
            )
            self.assertContains(response, "xs ++ [n]", status_code=422)

    def test_a_definition_that_is_gone_gives_the_text_back(self) -> None:
        spec = "spec_push_size"
        url = self.url("save", spec)
        self.import_again(spec="import Tiny.Harness\n")
        response = self.curator.post(url, self.sent("def spec_push_size := 1"))
        self.assertContains(response, "def spec_push_size := 1", status_code=409)


class CharactersTest(WriteCase):
    def test_what_deceives_the_eye_is_named_after_saving(self) -> None:
        text = CHANGED.replace("(n : Nat)", "(n : Nat) /- \u202e\u200b -/")
        response = self.curator.post(self.url("save", CONS), self.sent(text))
        page = self.curator.get(response["Location"])
        line = self.placement(CONS).line_start
        self.assertContains(page, "has 2 characters that deceive the eye")
        self.assertContains(page, f"line {line}, column ")
        self.assertContains(page, "U+202E")

    def test_ordinary_text_is_saved_without_a_word_about_it(self) -> None:
        response = self.curator.post(self.url("save", CONS), self.sent(CHANGED))
        page = self.curator.get(response["Location"])
        self.assertNotContains(page, "deceive the eye")


class DraftViewTest(WriteCase):
    def test_htmx_keeps_it_and_says_so(self) -> None:
        for text in ("def co", "def cons"):
            response = self.curator.post(
                self.url("draft", CONS), self.sent(text), htmx=True
            )
            self.assertContains(response, "draft kept")
        draft = Draft.objects.get()
        self.assertEqual((draft.text, draft.author), ("def cons", self.curator.user))

    def test_a_plain_form_keeps_it_and_returns_to_the_page(self) -> None:
        response = self.curator.post(self.url("draft", CONS), self.sent("def c"))
        self.assertEqual(response.status_code, 302)
        self.assertEqual(Draft.objects.get().text, "def c")

    def test_what_cannot_be_kept_is_said_and_given_back(self) -> None:
        much = "x" * 1_048_576
        response = self.curator.post(
            self.url("draft", CONS), self.sent(much), htmx=True
        )
        self.assertContains(response, "at most 1,000,000", status_code=422)
        response = self.curator.post(self.url("draft", CONS), self.sent(much))
        self.assertEqual(response.context["text"], much)
        response = self.curator.post(
            self.url("draft", CONS), self.sent("def c", base=9)
        )
        self.assertContains(response, "def c", status_code=422)
        self.assertFalse(Draft.objects.exists())

    def test_it_is_dropped_on_request_and_by_saving(self) -> None:
        for end in (
            {"drop": "1"},
            None,
        ):
            self.curator.post(self.url("draft", CONS), self.sent("def c"))
            if end:
                self.curator.post(self.url("draft", CONS), end)
            else:
                self.curator.post(self.url("save", CONS), self.sent(CHANGED))
            self.assertFalse(Draft.objects.exists())

    def test_it_survives_versions_of_others_and_imports(self) -> None:
        self.curator.post(self.url("draft", CONS), self.sent("def c"))
        self.write(CONS, CHANGED, by=self.maintainer.user)
        self.import_again(spec="import Tiny.Harness\n")
        draft = Draft.objects.get()
        self.assertEqual((draft.text, draft.base.number), ("def c", 1))

    def test_one_that_comes_after_the_version_made_of_it_is_none(self) -> None:
        self.curator.post(self.url("save", CONS), self.sent(CHANGED))
        self.curator.post(self.url("draft", CONS), self.sent(CHANGED))
        address = reverse(
            "instances:definition",
            args=[self.instance.slug, self.definition(CONS).pk],
        )
        page = self.curator.get(address, {"view": "edit"})
        self.assertIsNone(page.context["draft"])
        self.assertEqual(page.context["base"].number, 2)

    def test_it_is_for_curators_of_the_team_and_for_forms(self) -> None:
        url = self.url("draft", CONS)
        self.assertEqual(self.curator.get(url).status_code, 405)
        self.assertForbidden(self.reviewer.post(url, self.sent("x")))
        self.assertHidden(self.outsider.post(url, self.sent("x")))
        self.assertAsksForLogin(self.visitor.post(url, self.sent("x"), htmx=True))


class RevertViewTest(WriteCase):
    def test_it_shows_what_going_back_does_and_does_it(self) -> None:
        self.write(CONS, CHANGED)
        url = self.url("revert", CONS, 1)
        page = self.curator.get(url)
        self.assertContains(page, "v2 → v1")
        self.assertContains(page, "make it version 3")
        self.assertEqual(self.number(), 2)
        response = self.curator.post(url, {"base": 2})
        self.assertEqual(response.status_code, 302)
        self.assertEqual((self.text(CONS), self.number()), (CONS_LINE, 3))
        self.assertEvent("translation.reverted", by=self.curator.user, to=1, version=3)

    def test_it_says_beforehand_which_approvals_drop_and_afterwards_how_many(
        self,
    ) -> None:
        self.write(CONS, CHANGED)
        for name in ("push", SIZE, "spec_push_size"):
            self.approve(name)
        url = self.url("revert", CONS, 1)
        page = self.curator.get(url)
        self.assertContains(page, "2 approvals would drop.")
        self.assertContains(page, "push, spec_push_size: approved")
        response = self.curator.client.post(url, {"base": 2}, follow=True)
        self.assertContains(response, "as version 3. 2 approvals dropped.")
        self.write(CONS, f"{CONS_LINE} -- said")
        page = self.curator.get(self.url("revert", CONS, 1))
        self.assertContains(page, "No approval drops.")

    def test_an_outdated_page_shows_it_anew(self) -> None:
        self.write(CONS, CHANGED)
        url = self.url("revert", CONS, 1)
        self.write(CONS, CONS_LINE.replace("n :: xs", "[n] ++ xs"))
        for sent in ({"base": 2}, {}):
            response = self.curator.post(url, sent)
            self.assertContains(response, "v3 → v1", status_code=409)
        self.assertEqual(self.number(), 3)

    def test_it_is_for_curators_of_the_team(self) -> None:
        url = self.url("revert", CONS, 1)
        self.assertForbidden(self.reviewer.get(url))
        self.assertHidden(self.outsider.post(url, {"base": 1}))
        self.assertHidden(self.curator.get(self.url("revert", CONS, 7)))
        self.assertEqual(self.curator.client.put(url).status_code, 405)
        self.assertAsksForLogin(self.visitor.get(url))

    def test_reverting_another_definition_is_another_page(self) -> None:
        self.assertEqual(
            self.curator.get(
                reverse(
                    "reviews:revert",
                    args=[self.instance.slug, self.definition(SIZE).pk, 1],
                )
            ).status_code,
            200,
        )
