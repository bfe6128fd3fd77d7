"""The queue page: filters, facets, kept filters, order, leases."""

from __future__ import annotations

from datetime import timedelta

from django.utils import timezone

from curation.instances.models import Definition
from curation.reviews import leases
from curation.reviews.entries import place_entries
from curation.reviews.models import QueueEntry, Review, SavedFilter
from tests.curation.instances.made import IMPL, import_tiny, tiny
from tests.curation.reviews.queued import QueueCase

QUEUE = "/review/"


class QueuePageTest(QueueCase):
    def names(self, query: str = "") -> list[str]:
        """Return what the reviewer's list shows, in its order."""
        page = self.reviewer.get(f"{QUEUE}{query}").context["page"]
        return [entry.definition.lean_name for entry in page.rows]

    def test_it_lists_what_waits_used_before_user(self) -> None:
        names = self.names()
        self.assertEqual(len(names), 7)
        self.assertLess(names.index("Stack"), names.index("PushSig"))
        self.assertEqual(names[-1], "spec_push_size")

    def test_a_value_that_no_filter_knows_is_named(self) -> None:
        page = self.reviewer.get(f"{QUEUE}?state=opne&kind=api&pool=third")
        self.assertContains(page, "state is “opne”; expected open,")
        self.assertContains(page, "pool is “third”; expected first, skipped.")
        self.assertNotContains(page, "kind is")
        page = self.reviewer.get(f"{QUEUE}?kind=api&module=Nowhere")
        self.assertNotContains(page, "is not known and cuts nothing")

    def test_each_filter_cuts_it(self) -> None:
        self.review("push", self.maintainer.user)
        self.review("size", self.maintainer.user, Review.SKIP)
        QueueEntry.objects.filter(definition=self.definition("cons")).update(
            assignee=self.reviewer.user
        )
        leases.claim(self.maintainer.user, self.definition("Stack"))
        wanted = {
            "?q=PUSH": ["PushSig", "spec_push_size"],
            "?kind=api": ["size"],
            "?kind=api&state=approved&state=open": ["push", "size"],
            "?state=approved": ["push"],
            "?pool=skipped": ["size"],
            "?assignee=me": ["cons"],
            "?assignee=reviewer": ["cons"],
            "?lease=held": ["Stack"],
            "?lease=mine": [],
            "?dropped=yes": [],
            "?language=python&kind=spec": ["spec_push_size"],
            "?language=coq": [],
            "?instance=tiny&module=Stack&kind=helper": ["cons"],
            "?risk=high": [],
            "?state=nonsense&kind=nonsense&pool=x": self.names(),
        }
        for query, names in wanted.items():
            with self.subTest(query):
                self.assertCountEqual(self.names(query), names)

    def test_a_facet_counts_under_the_other_filters_what_its_link_shows(self) -> None:
        self.review("push", self.maintainer.user)
        self.review("size", self.maintainer.user, Review.SKIP)
        context = self.reviewer.get(f"{QUEUE}?kind=api&instance=tiny").context
        checked = 0
        for facet in context["facets"]:
            for choice in facet.choices:
                if choice.count is None or facet.key in ("kind", "instance"):
                    continue
                query = f"?kind=api&instance=tiny&{facet.key}={choice.value}"
                with self.subTest(query):
                    self.assertEqual(len(self.names(query)), choice.count)
                    checked += 1
        self.assertGreater(checked, 8)
        self.assertEqual(context["total"], len(self.names("?kind=api&instance=tiny")))

    def test_its_queries_are_few_and_do_not_grow(self) -> None:
        self.reviewer.get(QUEUE)
        with self.assertMostQueries(14):
            self.reviewer.get(QUEUE)
        impl = IMPL + "".join(f"\ndef more{n} := {n}\n" for n in range(80))
        done = import_tiny(None, self.team, tiny("wide", impl=impl))
        place_entries(done.revision)
        with self.assertMostQueries(14):
            self.reviewer.get(QUEUE)

    def test_it_pages_by_key(self) -> None:
        impl = IMPL + "".join(f"\ndef more{n} := {n}\n" for n in range(80))
        place_entries(import_tiny(None, self.team, tiny("wide", impl=impl)).revision)
        first = self.reviewer.get(QUEUE).context["page"]
        second = self.reviewer.get(f"{QUEUE}?after={first.after}").context["page"]
        pks = [entry.pk for entry in (*first.rows, *second.rows)]
        self.assertEqual(len(pks), len(set(pks)))
        self.assertEqual(len(pks), QueueEntry.objects.count())

    def test_htmx_is_given_the_rows_and_the_counts_alone(self) -> None:
        answer = self.reviewer.get(
            QUEUE, htmx=True, headers={"HX-Target": "queue-rows"}
        )
        self.assertTemplateUsed(answer, "reviews/queue_rows.html")
        self.assertTemplateNotUsed(answer, "reviews/queue.html")
        self.assertContains(answer, 'id="queue-facets" hx-swap-oob="true"')

    def test_a_reader_sees_it_without_the_way_to_the_next(self) -> None:
        answer = self.reader.get(QUEUE)
        self.assertContains(answer, "spec_push_size")
        self.assertNotContains(answer, "Next for me <kbd>")

    def test_another_team_sees_none_of_it(self) -> None:
        answer = self.outsider.get(QUEUE)
        self.assertEqual(len(answer.context["page"].rows), 0)
        self.assertNotContains(answer, "tiny")

    def test_a_visitor_is_asked_to_log_in(self) -> None:
        self.assertAsksForLogin(self.visitor.get(QUEUE))

    def test_it_takes_no_post(self) -> None:
        self.assertEqual(self.reviewer.post(QUEUE).status_code, 405)

    def test_what_a_hidden_instance_holds_does_not_wait(self) -> None:
        self.instance.hidden = True
        self.instance.save()
        self.assertEqual(self.names(), [])

    def test_a_nul_in_the_filter_of_a_form_breaks_nothing(self) -> None:
        for key in ("q", "instance", "module", "assignee", "language"):
            with self.subTest(key):
                answer = self.reviewer.post("/review/next/", {"queue": f"{key}=a%00b"})
                self.assertEqual(answer.status_code, 302)


class KeptFilterTest(QueueCase):
    def test_filters_are_kept_under_a_name_and_shown(self) -> None:
        answer = self.reviewer.post(
            "/review/filters/", {"name": " My  specs ", "queue": "kind=spec"}
        )
        self.assertRedirects(answer, "/review/?kind=spec")
        saved = SavedFilter.objects.get()
        self.assertEqual((saved.name, saved.query), ("My specs", "kind=spec"))
        self.assertContains(self.reviewer.get(QUEUE), 'href="/review/?kind=spec"')
        self.assertNotContains(self.maintainer.get(QUEUE), "My specs")

    def test_the_same_name_again_replaces_it(self) -> None:
        for query in ("kind=spec", "kind=api"):
            self.reviewer.post("/review/filters/", {"name": "x", "queue": query})
        self.assertEqual(SavedFilter.objects.get().query, "kind=api")

    def test_a_filter_without_a_name_is_refused_in_words(self) -> None:
        form = {"name": " ", "queue": "kind=spec"}
        answer = self.reviewer.post("/review/filters/", form)
        self.assertContains(answer, "Give it a name", status_code=422)
        self.assertFalse(SavedFilter.objects.exists())

    def test_a_name_that_is_too_long_comes_back_whole_with_its_filters(self) -> None:
        form = {"name": "specs " * 20, "queue": "kind=spec"}
        answer = self.reviewer.post("/review/filters/", form)
        self.assertContains(answer, "The name has 119 characters", status_code=422)
        self.assertContains(answer, f'value="{form["name"]}"', status_code=422)
        self.assertContains(answer, 'name="queue" value="kind=spec"', status_code=422)

    def test_it_is_forgotten_by_its_owner_only(self) -> None:
        self.reviewer.post("/review/filters/", {"name": "x", "queue": ""})
        address = f"/review/filters/{SavedFilter.objects.get().pk}/forget/"
        self.assertHidden(self.maintainer.post(address))
        self.assertRedirects(self.reviewer.post(address), QUEUE)
        self.assertFalse(SavedFilter.objects.exists())


class LeaseViewTest(QueueCase):
    def address(self, more: str = "") -> str:
        return f"/review/lease/{self.definition('push').pk}/{more}"

    def test_htmx_takes_it_and_is_given_the_line_that_extends_it(self) -> None:
        answer = self.reviewer.post(self.address(), {"queue": "kind=api"}, htmx=True)
        entry = self.entry("push")
        self.assertEqual(entry.holder, self.reviewer.user)
        self.assertContains(answer, 'hx-trigger="keep, every 60s"')
        self.assertContains(answer, entry.lease_token)
        again = self.reviewer.post(
            self.address(), {"token": entry.lease_token}, htmx=True
        )
        self.assertContains(again, "yours until")
        self.assertEqual(self.entry("push").lease_token, entry.lease_token)

    def test_who_lost_it_is_told_who_has_it_and_that_nothing_typed_is_lost(
        self,
    ) -> None:
        leases.claim(self.maintainer.user, self.definition("push"))
        answer = self.reviewer.post(self.address(), {"token": "lost"}, htmx=True)
        self.assertContains(
            answer, "Your lease of push is over: maintainer has it until"
        )
        self.assertContains(answer, "What you typed stays in its field")
        self.assertIn("a decision needs no lease", answer["HX-Trigger"])

    def test_a_page_takes_nothing_anew_that_was_given_back_elsewhere(self) -> None:
        answer = self.reviewer.post(self.address(), {"token": "gone"}, htmx=True)
        self.assertContains(answer, "nobody has it at present")
        self.assertContains(answer, "Take it")
        self.assertIsNone(self.entry("push").holder)

    def test_leaving_the_page_ends_the_lease_soon_and_opening_it_again_keeps_it(
        self,
    ) -> None:
        entry = leases.claim(self.reviewer.user, self.definition("push"))
        form = {"token": entry.lease_token, "until": leases.lease_end(entry)}
        self.assertEqual(
            self.reviewer.post(self.address("leave/"), form).status_code, 204
        )
        soon = self.entry("push").leased_until
        assert soon is not None
        self.assertLess(soon - timezone.now(), timedelta(seconds=21))
        answer = self.reviewer.post(self.address(), form, htmx=True)
        self.assertContains(answer, "yours until")
        # What the page that was left says late is no longer so.
        self.reviewer.post(self.address("leave/"), form)
        until = self.entry("push").leased_until
        assert until is not None
        self.assertGreater(until - timezone.now(), timedelta(minutes=9))

    def test_a_plain_form_works_as_well(self) -> None:
        answer = self.reviewer.post(self.address(), {"queue": "kind=api"})
        page = f"/instances/tiny/definitions/{self.definition('push').pk}/"
        self.assertRedirects(
            answer, f"{page}?queue=kind%3Dapi", fetch_redirect_response=False
        )
        answer = self.reviewer.post(self.address("give-back/"), {"queue": "kind=api"})
        self.assertRedirects(answer, "/review/?kind=api")
        self.assertIsNone(self.entry("push").holder)

    def test_who_may_not_review_finds_no_lease(self) -> None:
        self.assertHidden(self.reader.post(self.address()))
        self.assertHidden(self.outsider.post(self.address()))
        self.assertAsksForLogin(self.visitor.post(self.address(), htmx=True))
        self.assertEqual(self.reviewer.get(self.address()).status_code, 405)

    def test_the_harness_is_in_no_queue(self) -> None:
        harness = Definition.objects.get(lean_name="RepoImpl")
        answer = self.reviewer.post(f"/review/lease/{harness.pk}/", htmx=True)
        self.assertIn("in no queue", answer["HX-Trigger"])
