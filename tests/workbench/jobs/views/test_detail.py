from __future__ import annotations

from django.urls import reverse

from tests.case import WorkbenchTestCase
from tests.workbench.jobs.samples import jobs as samples  # noqa: F401  # declares them
from workbench.jobs import submit
from workbench.jobs.models import Job, JobEvent
from workbench.jobs.perform import run_waiting
from workbench.jobs.run import JobRun


class DetailTest(WorkbenchTestCase):
    def make(self, name: str = "sample-add", **fields: object) -> Job:
        return submit(
            name,
            owner=self.curator.user,
            team=self.team,
            args={"a": 1, "b": 2} if name == "sample-add" else {},
            **fields,  # type: ignore[arg-type]  # what the test says
        )

    def url(self, job: Job, name: str = "detail") -> str:
        return reverse(f"jobs:{name}", args=[job.pk])

    def test_it_shows_a_waiting_job_and_why_it_waits(self) -> None:
        response = self.curator.get(self.url(self.make()))
        self.assertContains(
            response, "No worker is up. Start one with bin/workbench worker."
        )
        self.assertContains(response, "submitted by curator")

    def test_it_shows_the_result_of_one_that_is_done(self) -> None:
        job = self.make()
        run_waiting()
        response = self.reader.get(self.url(job))
        self.assertContains(response, "1 + 2 = 3")

    def test_it_shows_how_far_a_running_one_is(self) -> None:
        job = self.running()
        JobRun(job).progress(3, 43, "base58")
        response = self.reader.get(self.url(job))
        self.assertContains(response, '<progress value="3" max="43"')
        self.assertContains(response, "base58")

    def running(self) -> Job:
        from workbench.jobs.statements import claim

        self.make()
        job = claim("w", queues=["interactive"], names=["sample-add"], needs=[""])
        assert job is not None
        return job

    def test_it_shows_the_error_in_words_and_the_trace_only_to_those_who_may_stop_it(
        self,
    ) -> None:
        job = submit(
            "sample-fail", owner=self.curator.user, team=self.team, args={"how": "bug"}
        )
        run_waiting()
        self.assertContains(
            self.reader.get(self.url(job)), "ZeroDivisionError: by nothing"
        )
        self.assertNotContains(self.reader.get(self.url(job)), "Traceback")
        self.assertContains(self.maintainer.get(self.url(job)), "Traceback")

    def test_it_escapes_what_a_job_says(self) -> None:
        job = self.running()
        JobRun(job).log("<script>alert(1)</script>")
        response = self.curator.get(self.url(job))
        self.assertContains(response, "&lt;script&gt;alert(1)&lt;/script&gt;")
        self.assertNotContains(response, "<script>alert")

    def test_it_offers_to_cancel_to_owner_and_maintainer_only(self) -> None:
        job = self.make()
        self.assertContains(self.curator.get(self.url(job)), self.url(job, "cancel"))
        self.assertContains(self.maintainer.get(self.url(job)), self.url(job, "cancel"))
        self.assertNotContains(self.reader.get(self.url(job)), self.url(job, "cancel"))

    def test_the_fragment_is_the_part_of_the_page_that_changes(self) -> None:
        job = self.make()
        fragment = self.curator.get(self.url(job, "fragment"), htmx=True)
        self.assertContains(fragment, f'data-live="job:{job.pk}"')
        self.assertNotContains(fragment, "<html")

    def test_a_long_log_is_shown_by_its_end_with_a_way_to_the_rest(self) -> None:
        job = self.make()
        JobEvent.objects.bulk_create(
            JobEvent(
                job=job,
                at=job.created_at,
                kind=JobEvent.LOG,
                attempt=1,
                text=f"line number {number};",
            )
            for number in range(450)
        )
        page = self.curator.get(self.url(job))
        self.assertContains(page, "line number 449;")
        self.assertNotContains(page, "line number 249;")
        earlier = page.context["log"].earlier
        page = self.curator.get(self.url(job), {"before": earlier})
        self.assertContains(page, "line number 249;")
        self.assertContains(page, "line number 50;")
        self.assertNotContains(page, "line number 49;")
        self.assertNotContains(page, "hx-get")
        page = self.curator.get(self.url(job), {"before": "9" * 5000})
        self.assertContains(page, "line number 449;")

    def test_a_log_of_very_long_lines_is_shown_in_small_parts_and_downloaded_whole(
        self,
    ) -> None:
        job = self.make()
        JobEvent.objects.bulk_create(
            JobEvent(job=job, at=job.created_at, kind=JobEvent.LOG, attempt=1, text=f"{number} " + "<" * 3990)
            for number in range(250)
        )  # fmt: skip
        page = self.curator.get(self.url(job))
        self.assertLess(len(page.content), 500_000)
        self.assertContains(page, "Earlier lines")
        whole = self.curator.get(self.url(job, "log"))
        self.assertEqual(whole["Content-Type"], "text/plain; charset=utf-8")
        lines = whole.content.decode().splitlines()
        self.assertEqual(lines[-1][21:25], "249 ")
        self.assertEqual(sum("<<<" in line for line in lines), 250)
        self.assertHidden(self.outsider.get(self.url(job, "log")))
        self.assertEqual(self.curator.post(self.url(job, "log")).status_code, 405)

    def test_it_is_hidden_from_another_team(self) -> None:
        job = self.make()
        self.assertHidden(self.outsider.get(self.url(job)))
        self.assertHidden(self.outsider.get(self.url(job, "fragment")))

    def test_a_job_without_a_team_is_its_owners_alone(self) -> None:
        job = submit("sample-nothing", owner=self.curator.user)
        self.assertEqual(self.curator.get(self.url(job)).status_code, 200)
        self.assertHidden(self.maintainer.get(self.url(job)))

    def test_it_asks_the_visitor_to_log_in(self) -> None:
        self.assertAsksForLogin(self.visitor.get(self.url(self.make())))

    def test_it_rejects_post(self) -> None:
        self.assertEqual(self.curator.post(self.url(self.make())).status_code, 405)

    def test_its_queries_do_not_grow_with_the_log(self) -> None:
        job = self.make()
        with self.assertMostQueries(12):
            self.curator.get(self.url(job))
        JobEvent.objects.bulk_create(
            JobEvent(job=job, at=job.created_at, kind=JobEvent.LOG, attempt=1, text="x")
            for _ in range(100)
        )
        with self.assertMostQueries(12):
            self.curator.get(self.url(job))
