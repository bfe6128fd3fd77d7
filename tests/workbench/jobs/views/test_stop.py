from __future__ import annotations

from django.test import Client
from django.urls import reverse

from tests.case import WorkbenchTestCase
from tests.workbench.jobs.made import fresh, running_job, waiting_job
from workbench.jobs.models import Job
from workbench.jobs.perform import run_waiting


class CancelTest(WorkbenchTestCase):
    def setUp(self) -> None:
        super().setUp()
        self.job = waiting_job(owner=self.curator.user, team=self.team)
        self.url = reverse("jobs:cancel", args=[self.job.pk])

    def test_a_plain_form_cancels_and_returns_to_the_job(self) -> None:
        response = self.curator.post(self.url)
        self.assertRedirects(response, self.job.get_absolute_url())
        self.assertEqual(fresh(self.job).state, Job.CANCELLED)
        self.assertEvent("job.cancelled", by=self.curator.user, about=self.job)

    def test_htmx_gets_the_part_of_the_page_and_words_for_the_live_region(self) -> None:
        response = self.curator.post(self.url, htmx=True)
        self.assertContains(response, 'id="job-live"')
        self.assertTemplateNotUsed(response, "base.html")
        self.assertIn("Cancelled.", response["HX-Trigger"])

    def test_a_running_job_is_said_to_be_stopping(self) -> None:
        run_waiting()
        job = running_job(owner=self.curator.user, team=self.team)
        response = self.curator.post(reverse("jobs:cancel", args=[job.pk]), htmx=True)
        self.assertContains(response, "being cancelled")
        self.assertNotContains(response, "Cancel and end its processes")

    def test_what_has_ended_is_a_conflict_that_shows_how(self) -> None:
        run_waiting()
        with self.assertNoEvent():
            response = self.curator.post(self.url, htmx=True)
            self.assertContains(
                response, "The job has already ended: done.", status_code=409
            )
            response = self.curator.post(self.url)
        self.assertRedirects(response, self.job.get_absolute_url())
        self.assertContains(self.curator.get(self.job.get_absolute_url()), "1 + 2 = 3")

    def test_who_may_see_it_but_not_stop_it_is_refused(self) -> None:
        for persona in (self.reader, self.reviewer, self.adjudicator):
            with self.subTest(persona=persona.user.username):
                self.assertForbidden(persona.post(self.url))
        self.assertEqual(fresh(self.job).state, Job.QUEUED)

    def test_a_maintainer_may(self) -> None:
        self.maintainer.post(self.url)
        self.assertEvent("job.cancelled", by=self.maintainer.user, about=self.job)

    def test_it_is_hidden_from_another_team(self) -> None:
        self.assertHidden(self.outsider.post(self.url))

    def test_it_asks_the_visitor_to_log_in(self) -> None:
        self.assertAsksForLogin(self.visitor.post(self.url))

    def test_it_rejects_get(self) -> None:
        self.assertEqual(self.curator.get(self.url).status_code, 405)

    def test_it_wants_the_token_of_the_form(self) -> None:
        browser = Client(enforce_csrf_checks=True)
        browser.cookies = self.curator.client.cookies
        self.assertEqual(browser.post(self.url).status_code, 403)
        self.assertEqual(fresh(self.job).state, Job.QUEUED)


class RetryTest(WorkbenchTestCase):
    def setUp(self) -> None:
        super().setUp()
        self.job = waiting_job(
            "sample-fail",
            args={"how": "words"},
            owner=self.curator.user,
            team=self.team,
        )
        self.url = reverse("jobs:retry", args=[self.job.pk])

    def test_a_failed_job_goes_back_into_the_queue(self) -> None:
        run_waiting()
        page = self.curator.get(self.job.get_absolute_url())
        self.assertContains(page, self.url)
        self.assertRedirects(self.curator.post(self.url), self.job.get_absolute_url())
        self.assertEqual(fresh(self.job).state, Job.QUEUED)
        self.assertEvent("job.retried", by=self.curator.user, about=self.job)

    def test_what_waits_cannot_be_retried(self) -> None:
        self.assertNotContains(self.curator.get(self.job.get_absolute_url()), self.url)
        self.assertEqual(self.curator.post(self.url, htmx=True).status_code, 409)

    def test_readers_may_not_and_others_do_not_see_it(self) -> None:
        run_waiting()
        self.assertForbidden(self.reader.post(self.url))
        self.assertHidden(self.outsider.post(self.url))
        self.assertAsksForLogin(self.visitor.post(self.url))

    def test_it_rejects_get(self) -> None:
        self.assertEqual(self.curator.get(self.url).status_code, 405)
