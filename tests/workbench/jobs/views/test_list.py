from __future__ import annotations

from typing import Any

from django.urls import reverse

from tests.case import WorkbenchTestCase
from tests.workbench.jobs.made import waiting_job
from workbench.jobs.models import Job
from workbench.jobs.perform import run_waiting
from workbench.jobs.worker.registration import Registration


class JobListTest(WorkbenchTestCase):
    url = "/jobs/"

    def make(self, number: int = 1, **fields: Any) -> list[Job]:
        return [
            waiting_job(owner=self.curator.user, team=self.team, **fields)
            for _ in range(number)
        ]

    def listed(self, query: dict[str, object] | None = None) -> list[int]:
        return [job.pk for job in self.reader.get(self.url, query).context["page"].rows]

    def test_it_lists_what_one_may_see_newest_first(self) -> None:
        jobs = self.make(3)
        waiting_job(owner=self.outsider.user, team=self.other_team)
        self.assertEqual(self.url, reverse("jobs:list"))
        self.assertEqual(self.listed(), [job.pk for job in reversed(jobs)])

    def test_an_empty_list_says_what_would_be_here(self) -> None:
        self.assertContains(
            self.reader.get(self.url), "Imports and other long work will be listed here"
        )

    def test_it_says_whether_a_worker_is_up(self) -> None:
        self.assertContains(self.reader.get(self.url), "no worker is up")
        Registration("w", 2, ["interactive"], frozenset()).beat()
        self.assertContains(self.reader.get(self.url), "1 worker up")

    def test_every_filter_is_in_the_url(self) -> None:
        done = self.make()[0]
        run_waiting()
        waiting = self.make()[0]
        grading = self.make(name="sample-publish", args={"name": "x"})[0]
        own = waiting_job(owner=self.reader.user)
        Job.objects.filter(pk=waiting.pk).update(instance_id=7)
        for query, expected in (
            ({"state": "done"}, {done}),
            ({"state": ["done", "queued"]}, {done, waiting, grading, own}),
            ({"queue": "grading"}, {grading}),
            ({"kind": "sample-publish"}, {grading}),
            ({"whose": "mine"}, {own}),
            ({"instance": "7"}, {waiting}),
            ({"state": "nonsense"}, set()),
            ({"instance": "nonsense"}, {done, waiting, grading, own}),
            ({"instance": "9" * 30}, {done, waiting, grading, own}),
        ):
            with self.subTest(query=query):
                self.assertEqual(set(self.listed(query)), {job.pk for job in expected})  # type: ignore[arg-type]

    def test_a_filter_that_finds_nothing_has_a_way_back(self) -> None:
        self.make()
        response = self.reader.get(self.url, {"state": "failed"})
        self.assertContains(response, "No job matches these filters.")
        self.assertContains(response, 'href="/jobs/"')

    def test_pages_go_on_where_the_last_one_ended(self) -> None:
        self.make(60)
        first = self.reader.get(self.url).context["page"]
        second = self.reader.get(self.url, {"after": first.after}).context["page"]
        seen = [job.pk for job in [*first.rows, *second.rows]]
        self.assertEqual(seen, sorted(seen, reverse=True))
        self.assertEqual(len(set(seen)), 60)

    def test_the_rows_alone_are_the_fragment(self) -> None:
        self.make()
        response = self.reader.get(
            self.url, {"state": "queued"}, htmx=True, headers={"HX-Target": "job-rows"}
        )
        self.assertTemplateNotUsed(response, "base.html")
        self.assertContains(response, 'data-live="jobs" hx-get="/jobs/?state=queued"')

    def test_its_queries_do_not_grow_with_its_rows(self) -> None:
        self.make(2)
        with self.assertMostQueries(9) as few:
            self.reader.get(self.url)
        self.make(45)
        with self.assertMostQueries(len(few)):
            self.reader.get(self.url)

    def test_it_asks_the_visitor_to_log_in(self) -> None:
        self.assertAsksForLogin(self.visitor.get(self.url))

    def test_it_rejects_post(self) -> None:
        self.assertEqual(self.reader.post(self.url).status_code, 405)


class HomeFragmentTest(WorkbenchTestCase):
    def test_it_is_the_panel_of_the_home_page(self) -> None:
        job = waiting_job(owner=self.reader.user)
        response = self.reader.get(reverse("jobs:home"), htmx=True)
        self.assertContains(response, f'id="home-job-{job.pk}"')
        self.assertTemplateNotUsed(response, "base.html")
        with self.assertMostQueries(6):
            self.reader.get(reverse("jobs:home"), htmx=True)

    def test_it_asks_the_visitor_to_log_in(self) -> None:
        self.assertAsksForLogin(self.visitor.get(reverse("jobs:home"), htmx=True))
