"""The review page: the bar, what is new for the reader, what dropped and why, and what an open page learns."""

from __future__ import annotations

from typing import Any

from django.urls import reverse

from curation.reviews import leases
from curation.reviews.models import Draft, Look
from curation.reviews.notify import tell
from tests.case import Persona
from tests.curation.reviews.built import RENAMED, build
from tests.curation.reviews.made import CONS, PUSH, SIZE, ReviewCase, impl
from workbench.access.models import Membership

QUERIES = 33  # one of them for the gradings under way in the top bar, one for what approvals are bound to
"""What the side-by-side page may cost (docs/developer/speed.md), the numbers in the top bar among them."""


class PageCase(ReviewCase):
    def url(self, name: str = PUSH, query: str = "") -> str:
        address = reverse(
            "instances:definition", args=["tiny", self.definition(name).pk]
        )
        return f"{address}{query}"

    def see(self, name: str = PUSH, query: str = "", by: Persona | None = None) -> Any:
        return (by or self.reviewer).get(self.url(name, query))

    def change_cons(self) -> None:
        self.import_again(
            impl=impl(cons="def cons (n : Nat) (xs : List Nat) : List Nat := xs ++ [n]")
        )

    def change_push(self, words: str = "n :: s.items") -> None:
        self.write(PUSH, self.text(PUSH).replace("cons n s.items", words))


class BarTest(PageCase):
    def test_it_carries_the_version_and_the_meaning_that_are_shown(self) -> None:
        page = self.see()
        now = self.placement(PUSH)
        self.assertContains(page, f'name="read_hash" value="{now.meaning_hash}"')
        self.assertContains(page, 'name="number" value="1"')
        self.assertContains(page, "Approve v1")

    def test_its_form_approves_and_goes_on_to_the_next(self) -> None:
        now = self.placement(PUSH)
        answer = self.reviewer.post(
            reverse("reviews:approve", args=["tiny", now.definition_id]),
            {"number": "1", "read_hash": now.meaning_hash, "queue": ""},
        )
        self.assertEqual(answer.status_code, 302)
        self.assertContains(self.see(), "approved")
        self.assertContains(self.see(), "you approved this")

    def test_a_reader_sees_the_state_and_no_buttons(self) -> None:
        self.approve(PUSH)
        page = self.see(by=self.reader)
        self.assertContains(page, "by reviewer")
        for words in (
            "Approve v1",
            "Request re-translation",
            "Skip, leave",
            "Edit</a>",
        ):
            self.assertNotContains(page, words)

    def test_the_author_is_told_why_there_is_no_approval(self) -> None:
        self.change_push()
        page = self.see(by=self.curator)
        self.assertContains(page, "you wrote v2: somebody else approves it")
        self.assertNotContains(page, "Approve v2")

    def test_the_harness_needs_no_decision(self) -> None:
        self.assertNotContains(self.see("canonical"), "Request re-translation")

    def test_a_removed_definition_is_read_and_not_decided(self) -> None:
        self.import_again(
            impl=impl(cons="def kons (n : Nat) (xs : List Nat) : List Nat := n :: xs")
        )
        page = self.see(CONS)
        self.assertContains(page, "This definition is not in the current revision.")
        self.assertNotContains(page, "Approve v1")

    def test_previous_and_next_keep_the_filters_of_the_list(self) -> None:
        page = self.see(query="?kind=api&view=now")
        self.assertContains(page, f'{self.url(SIZE)}?kind=api"')

    def test_a_request_that_is_open_says_what_is_asked(self) -> None:
        self.send_back(PUSH, words="Use `::` & nothing else.")
        page = self.see(by=self.curator)
        self.assertContains(page, "Sent back by reviewer")
        self.assertContains(page, "Use <code>::</code> &amp; nothing else.")
        self.assertContains(page, "Write the next version")

    def test_who_waits_for_a_new_version_is_not_urged_to_approve_the_old_one(
        self,
    ) -> None:
        urged = '<button class="btn primary" data-key="a">'
        self.assertContains(self.see(), urged)
        self.send_back(PUSH)
        page = self.see()
        self.assertNotContains(page, urged)
        self.assertContains(page, "you sent it back: a new version is awaited")
        self.assertContains(page, "Approve v1 after all")


class DropTest(PageCase):
    def test_it_says_what_dropped_the_approval_and_by_which_way(self) -> None:
        self.approve(PUSH)
        self.change_cons()
        page = self.see()
        self.assertContains(page, "Approval of v1 (you")
        self.assertContains(page, "something that it uses changed")
        self.assertContains(page, "<code>push</code> → <code>cons</code>")
        self.assertContains(page, f'href="{self.url(CONS)}?against=1"')
        self.assertContains(page, "approval dropped")

    def test_a_change_of_its_own_text_leads_to_the_difference(self) -> None:
        self.approve(PUSH)
        self.change_push()
        page = self.see()
        self.assertContains(page, "its own text changed")
        self.assertContains(page, "?against=1")

    def test_deciding_anew_takes_the_notice_away(self) -> None:
        self.approve(PUSH)
        self.change_cons()
        self.approve(PUSH)
        self.assertNotContains(self.see(), "was dropped")


class SinceTest(PageCase):
    def test_the_first_time_there_is_nothing_to_compare(self) -> None:
        self.assertEqual(self.see().context["here"].view, "now")
        page = self.see(query="?view=since")
        self.assertContains(page, "This is the first state of it that you see.")

    def test_a_changed_text_is_shown_first_and_again_until_it_is_ticked(self) -> None:
        self.see()
        self.change_push()
        for _ in range(2):
            page = self.see()
            self.assertEqual(page.context["here"].view, "since")
            self.assertContains(page, '<span class="ln del"')
        self.tick()
        self.assertEqual(self.see().context["here"].view, "now")

    def test_what_it_uses_is_shown_with_the_way_to_it(self) -> None:
        self.see("spec_push_size")
        self.change_cons()
        page = self.see("spec_push_size")
        self.assertContains(page, "Its own text is the same.")
        ways = [use.steps for use in page.context["here"].changed_uses]
        self.assertEqual(ways, [["spec_push_size", "push", "cons"]])

    def test_its_text_is_compared_over_several_versions_and_imports(self) -> None:
        self.see()
        self.change_push()
        self.import_again(impl=impl().replace("cons n s.items", "n :: n :: s.items"))
        here = self.see().context["here"]
        assert here.older is not None
        self.assertEqual((here.older.number, here.placement.translation.number), (1, 3))
        self.assertEqual(here.changed_uses, [])

    def test_another_persons_look_is_another_ones(self) -> None:
        self.see()
        self.change_push()
        self.assertEqual(self.see(by=self.curator).context["here"].view, "now")

    def test_a_comment_alone_is_new_text_but_keeps_the_tick(self) -> None:
        self.see()
        self.tick()
        self.write(PUSH, self.text(PUSH).replace("Put one", "Put a number"))
        page = self.see()
        self.assertTrue(page.context["here"].ticked)

    def test_the_numbers_are_those_of_the_file(self) -> None:
        self.change_push()
        now = self.placement(PUSH)
        page = self.see(query="?against=1").content.decode()
        self.assertIn(f'id="lean-{now.line_end}" data-n="{now.line_end}"', page)

    def test_an_older_version_is_one_step_away_and_so_is_a_newer(self) -> None:
        self.change_push("n :: s.items")
        self.write(PUSH, self.text(PUSH).replace("n :: s.items", "[n] ++ s.items"))
        steps = self.see(query="?view=now").context["steps"]
        self.assertEqual((steps.older, steps.newer), (2, None))
        steps = self.see(query="?against=1").context["steps"]
        self.assertEqual((steps.older, steps.newer), (None, 2))

    def test_the_version_that_one_reviewed_is_offered_by_name(self) -> None:
        self.approve(PUSH)
        self.change_push()
        self.assertContains(self.see(query="?view=now"), "Since my review of v1")

    def test_nonsense_in_the_address_shows_what_is_now(self) -> None:
        for query in ("?view=x", "?against=x", "?against=99", "?against=²", "?item=x"):
            with self.subTest(query):
                self.assertEqual(self.see(query=query).context["here"].view, "now")

    def tick(self, name: str = PUSH, on: str = "1") -> Any:
        now = self.placement(name)
        return self.reviewer.post(
            reverse("reviews:tick", args=["tiny", now.definition_id]),
            {"read_hash": now.meaning_hash, "ticked": on},
            htmx=True,
        )

    def test_the_tick_falls_when_what_it_uses_changes(self) -> None:
        self.assertContains(self.tick(), 'aria-pressed="true"')
        self.assertTrue(self.see().context["here"].ticked)
        self.change_cons()
        self.assertFalse(self.see().context["here"].ticked)

    def test_a_tick_for_an_older_page_is_not_taken(self) -> None:
        old = self.placement(PUSH)
        self.change_push()
        answer = self.reviewer.post(
            reverse("reviews:tick", args=["tiny", old.definition_id]),
            {"read_hash": old.meaning_hash, "ticked": "1"},
            htmx=True,
        )
        self.assertContains(answer, "It changed while you read: nothing was ticked.")
        self.assertContains(answer, 'aria-pressed="false"')

    def test_a_tick_is_taken_away_and_works_as_a_plain_form(self) -> None:
        self.tick()
        self.assertContains(self.tick(on="0"), 'aria-pressed="false"')
        now = self.placement(PUSH)
        answer = self.reviewer.post(
            reverse("reviews:tick", args=["tiny", now.definition_id]),
            {"read_hash": now.meaning_hash, "ticked": "1"},
        )
        self.assertRedirects(answer, self.url(), fetch_redirect_response=False)

    def test_live_updates_and_heads_are_no_looks(self) -> None:
        self.reviewer.get(self.live_url(), htmx=True)
        self.reviewer.client.head(self.url())
        self.assertFalse(Look.objects.exists())

    def live_url(self) -> str:
        return reverse("reviews:live", args=["tiny", self.definition(PUSH).pk])


class EditTest(PageCase):
    def test_the_editor_begins_with_the_text_as_it_is(self) -> None:
        page = self.see(query="?view=edit", by=self.curator)
        self.assertContains(page, 'name="base" value="1"')
        self.assertEqual(page.context["text"], self.text(PUSH))

    def test_a_draft_is_gone_on_with_and_says_on_what_it_was_begun(self) -> None:
        now = self.placement(PUSH)
        Draft.objects.create(
            definition=now.definition,
            author=self.curator.user,
            base=now.translation,
            text="def push := half </textarea><script>",
        )
        page = self.see(query="?view=edit", by=self.curator)
        self.assertContains(page, "half &lt;/textarea&gt;&lt;script&gt;")
        self.assertContains(page, "Nobody else sees it.")
        changed = self.text(PUSH).replace("cons n s.items", "n :: s.items")
        self.write(PUSH, changed, self.maintainer.user)
        page = self.see(query="?view=edit", by=self.curator)
        self.assertContains(page, "It was begun on v1; v2 is there now.")
        self.assertContains(page, 'name="base" value="1"')

    def test_somebody_elses_draft_is_not_shown(self) -> None:
        now = self.placement(PUSH)
        Draft.objects.create(
            definition=now.definition,
            author=self.maintainer.user,
            base=now.translation,
            text="mine",
        )
        page = self.see(query="?view=edit", by=self.curator)
        self.assertEqual(page.context["text"], now.translation.text)

    def test_who_may_not_edit_reads(self) -> None:
        self.assertEqual(self.see(query="?view=edit").context["here"].view, "now")

    def test_the_request_that_it_answers_stands_above_the_text(self) -> None:
        asked = self.send_back(PUSH, words="Use `::`.")
        page = self.see(query="?view=edit", by=self.curator)
        self.assertContains(page, f'name="answers" value="{asked.pk}"')


class LiveTest(PageCase):
    def live(self, version: int = 1, by: Persona | None = None, **more: str) -> Any:
        now = self.placement(PUSH)
        address = reverse("reviews:live", args=["tiny", now.definition_id])
        query = {"version": str(version), "hash": self.read_hash, **more}
        return (by or self.reviewer).get(address, query, htmx=True)

    def setUp(self) -> None:
        super().setUp()
        self.read_hash = self.placement(PUSH).meaning_hash

    def test_a_decision_of_another_is_in_the_state(self) -> None:
        self.approve(PUSH, self.curator.user)
        answer = self.live()
        self.assertContains(answer, "approved")
        self.assertContains(answer, 'data-say-once="push: approved by curator"')

    def test_another_version_is_a_notice_and_replaces_nothing(self) -> None:
        self.change_push()
        answer = self.live()
        self.assertContains(answer, "v2 is here, by curator.")
        self.assertContains(answer, "?against=1")
        self.assertNotContains(answer, "lean-")

    def test_a_change_below_it_is_a_notice(self) -> None:
        self.change_cons()
        self.assertContains(self.live(), "Something that it uses has changed")

    def test_the_page_follows_what_it_uses(self) -> None:
        page = self.see()
        for name in (PUSH, CONS):
            self.assertContains(page, f"definition:{self.definition(name).pk}")

    def test_for_another_team_there_is_none(self) -> None:
        self.assertHidden(self.live(by=self.outsider))

    def test_nothing_new_is_an_empty_answer_for_three_queries(self) -> None:
        stamp = self.live().context["stamp"]
        with self.assertMostQueries(3 + 2):  # two are those of `placement`
            self.assertEqual(self.live(stamp=stamp).status_code, 204)

    def test_whatever_the_page_shows_of_others_is_news(self) -> None:
        stamp = self.live().context["stamp"]
        for act in (
            lambda: leases.claim(self.curator.user, self.definition(PUSH)),
            lambda: self.skip(PUSH, self.curator.user),
            lambda: self.approve(PUSH, self.curator.user),
            self.say,
            lambda: tell(
                [self.reviewer.user], "reply", self.definition(SIZE), "elsewhere"
            ),
            self.change_cons,
            lambda: Membership.objects.filter(user=self.reviewer.user).update(
                role="reader"
            ),
        ):
            act()
            answer = self.live(stamp=stamp)
            self.assertEqual(answer.status_code, 200)
            self.assertNotEqual(answer.context["stamp"], stamp)
            stamp = answer.context["stamp"]

    def say(self) -> None:
        answer = self.curator.post(
            reverse("reviews:thread_new", args=[self.definition(PUSH).pk]),
            {
                "side": "lean", "version": "1", "text": "x", "key": "k",
                "first": str(self.placement(PUSH).line_end),
            },
        )  # fmt: skip
        self.assertEqual(answer.status_code, 302)

    def test_who_had_the_lease_reads_who_has_it_now(self) -> None:
        leases.claim(self.curator.user, self.definition(PUSH))
        self.assertContains(
            self.live(token="mine"), "Your lease of push is over: curator has it until"
        )
        self.assertNotContains(self.live(), "is over")


class BasisTest(PageCase):
    def test_it_says_what_an_approval_is_bound_to(self) -> None:
        self.approve(PUSH)
        self.assertContains(self.see(), "bound to text")
        build(self.now())
        page = self.see()
        self.assertContains(page, "bound to compiled terms (pocket 4.35.0)", count=2)
        self.assertNotContains(page, "bound to text")

    def test_it_says_when_a_term_ended_it_and_when_it_counts_again(self) -> None:
        build(self.now())
        self.approve(PUSH)
        self.import_again(impl=impl(cons=RENAMED))
        self.assertContains(self.see(), "ended: push → cons: cons changed (r2)")
        build(self.now())
        self.assertContains(self.see(), "counts again")
        self.import_again(impl=impl(cons=RENAMED) + "\n-- a remark\n")
        build(self.now(), {CONS: "other", PUSH: "follows"})
        self.assertContains(
            self.see(), "was dropped: something that it uses compiles to something else"
        )


class CostTest(PageCase):
    def test_the_page_is_cheap_however_much_happened(self) -> None:
        self.see()
        with self.assertMostQueries(QUERIES) as few:
            self.see()
        for number in range(4):
            self.reviewer.post(
                reverse("reviews:thread_new", args=[self.definition(PUSH).pk]),
                {
                    "side": "lean", "version": "1", "text": "x", "key": f"k{number}",
                    "first": str(self.placement(PUSH).line_end),
                },
            )  # fmt: skip
        self.approve(PUSH)
        self.change_cons()
        for name in (PUSH, "spec_push_size"):
            self.see(name)
            with self.assertMostQueries(QUERIES):
                self.see(name, "?view=now")
        self.assertGreater(len(few), 10)

    def test_what_is_new_costs_a_fixed_number_more(self) -> None:
        self.see("spec_push_size")
        self.change_cons()
        address = self.url("spec_push_size")
        with self.assertMostQueries(QUERIES + 5):
            self.reviewer.get(address)

    def test_live_updates_cost_less_than_the_page(self) -> None:
        address = reverse("reviews:live", args=["tiny", self.definition(PUSH).pk])
        self.reviewer.get(address, htmx=True)
        with self.assertMostQueries(18):
            self.reviewer.get(address, htmx=True)

    def test_a_role_that_was_taken_away_takes_the_page_away(self) -> None:
        self.see()
        Membership.objects.filter(user=self.reviewer.user).delete()
        self.assertHidden(self.see())
