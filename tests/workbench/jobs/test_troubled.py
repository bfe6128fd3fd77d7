"""The lists of the operations page."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.urls import reverse
from django.utils import timezone

from tests.case import WorkbenchTestCase
from tests.workbench.jobs.made import fresh, running_job, waiting_job
from workbench.jobs.models import Job
from workbench.jobs.perform import perform, run_waiting
from workbench.jobs.worker.registration import Registration

URL = "/operations/"


class OperationsTest(WorkbenchTestCase):
    def up(self) -> None:
        Registration("worker-1", 2, ["interactive"], frozenset()).beat()

    def own(self, **fields: Any) -> dict[str, Any]:
        return {"owner": self.curator.user, "team": self.team, **fields}

    def test_a_job_whose_worker_fell_silent_is_stuck_and_one_with_a_lease_runs(
        self,
    ) -> None:
        self.up()
        job = running_job(**self.own())
        page = self.curator.get(URL).content.decode()
        self.assertIn("Nothing is stuck", page)
        self.assertIn("Cancel Add", page)
        Job.objects.filter(pk=job.pk).update(
            lease_until=timezone.now() - timedelta(minutes=2)
        )
        page = self.curator.get(URL).content.decode()
        self.assertIn(
            "Its worker worker-1 fell silent. It goes back into the queue", page
        )
        self.assertIn("Nothing runs at present", page)

    def test_what_failed_is_retried_from_here_and_one_stays_here(self) -> None:
        job = waiting_job("sample-fail", args={"how": "words"}, **self.own())
        run_waiting()
        self.assertContains(self.curator.get(URL), "Line 3 of manifest.json")
        answer = self.curator.post(reverse("jobs:retry", args=[job.pk]), {"next": URL})
        self.assertEqual(answer["Location"], URL)
        self.assertEqual(fresh(job).state, Job.QUEUED)

    def test_next_never_leads_to_another_site(self) -> None:
        job = waiting_job(**self.own())
        answer = self.curator.post(
            reverse("jobs:cancel", args=[job.pk]),
            {"next": "https://elsewhere.example/"},
        )
        self.assertEqual(answer["Location"], job.get_absolute_url())

    def test_a_reader_sees_the_job_without_buttons_and_an_outsider_nothing(
        self,
    ) -> None:
        running_job(**self.own())
        self.assertContains(self.reader.get(URL), "Add ")
        self.assertNotContains(self.reader.get(URL), "Cancel Add")
        self.assertContains(self.maintainer.get(URL), "Cancel Add")
        self.assertNotContains(self.outsider.get(URL), ">Add ")

    def test_the_part_about_jobs_comes_by_itself(self) -> None:
        url = reverse("jobs:operations")
        self.assertContains(self.reader.get(url, htmx=True), 'id="operations-jobs"')
        self.assertAsksForLogin(self.visitor.get(url))
        self.assertEqual(self.reader.post(url).status_code, 405)

    def test_the_queries_do_not_grow_with_the_jobs(self) -> None:
        self.up()
        for _ in range(6):
            perform(running_job("sample-fail", args={"how": "words"}, **self.own()))
        for _ in range(6):
            running_job(**self.own())
        with self.assertMostQueries(12):
            self.curator.get(reverse("jobs:operations"))
