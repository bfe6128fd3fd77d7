from __future__ import annotations

from django.urls import reverse

from tests.case import WorkbenchTestCase
from tests.workbench.jobs.made import running_job, waiting_job
from workbench.jobs import panels
from workbench.jobs.perform import run_waiting
from workbench.jobs.worker.registration import Registration
from workbench.ui.checks import OK, WARN


class PanelsTest(WorkbenchTestCase):
    def up(self) -> None:
        Registration(
            "worker-1", 2, ["interactive"], frozenset({"python-runner"})
        ).beat()

    def test_home_shows_open_jobs_before_ones_own_last_ones(self) -> None:
        mine = waiting_job(owner=self.reader.user)
        run_waiting()
        running = running_job(owner=self.curator.user, team=self.team)
        waiting_job(owner=self.outsider.user, team=self.other_team)
        response = self.reader.get(reverse("home"))
        self.assertContains(response, f'id="home-job-{running.pk}"')
        self.assertContains(response, f'id="home-job-{mine.pk}"')
        self.assertContains(response, "1 job runs, 0 wait")
        page = response.content.decode()
        self.assertLess(
            page.index(f"home-job-{running.pk}"), page.index(f"home-job-{mine.pk}")
        )

    def test_home_says_whether_workers_are_up(self) -> None:
        self.assertContains(
            self.reader.get(reverse("home")), "no worker is up: background jobs wait"
        )
        self.up()
        self.assertContains(self.reader.get(reverse("home")), "1 worker is up")

    def test_operations_shows_workers_queues_and_what_nobody_serves(self) -> None:
        self.up()
        waiting_job("sample-needy", owner=self.curator.user, team=self.team)
        response = self.curator.get(reverse("operations"))
        self.assertContains(response, "worker-1")
        self.assertContains(response, "does not offer lean:4.29.1")
        self.assertContains(response, "?queue=grading")

    def test_machines_are_shown_to_maintainers_only(self) -> None:
        self.up()
        self.assertNotContains(self.reader.get(reverse("operations")), ", process ")
        self.assertContains(self.maintainer.get(reverse("operations")), ", process ")

    def test_the_doctor_says_whether_workers_are_up(self) -> None:
        answer = panels.workers()
        self.assertEqual(answer.tone, WARN)
        self.assertIn("bin/workbench worker", answer.remedy)
        self.up()
        answer = panels.workers()
        self.assertEqual(
            (answer.tone, answer.words),
            (OK, "1 up, 2 jobs beside each other; offered: python-runner"),
        )

    def test_the_record_tells_of_jobs_in_sentences(self) -> None:
        waiting_job(owner=self.curator.user, team=self.team)
        run_waiting()
        response = self.reader.get(reverse("events:list"))
        self.assertContains(response, "submitted <a href=")
        self.assertContains(response, "1 + 2 = 3")
