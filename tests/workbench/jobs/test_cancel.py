from __future__ import annotations

from tests.case import WorkbenchTestCase
from tests.workbench.jobs.made import fresh, running_job, said, waiting_job
from workbench.access.rights import AccessDenied
from workbench.jobs import cancel, retry
from workbench.jobs.actions import WrongState
from workbench.jobs.models import Job
from workbench.jobs.perform import run_waiting


class CancelTest(WorkbenchTestCase):
    def test_a_waiting_job_is_cancelled_at_once(self) -> None:
        job = waiting_job(owner=self.curator.user, team=self.team)
        cancel(self.curator.user, job)
        self.assertEqual(fresh(job).state, Job.CANCELLED)
        self.assertIsNotNone(fresh(job).finished_at)
        self.assertEqual(said(job)[-1], "cancelled by curator")
        self.assertEvent("job.cancelled", by=self.curator.user, about=job)
        self.assertEqual(run_waiting(), 0)

    def test_a_running_job_is_asked_to_stop_and_stays_running_until_it_has(
        self,
    ) -> None:
        job = running_job(owner=self.curator.user, team=self.team)
        with self.assertNoEvent():
            cancel(self.curator.user, job)
        row = fresh(job)
        self.assertEqual(
            (row.state, row.cancel_requested, row.state_words),
            ("running", True, "being cancelled"),
        )
        self.assertEqual(said(job)[-1], "curator asked to cancel it")

    def test_asking_twice_is_asking_once(self) -> None:
        job = running_job(owner=self.curator.user, team=self.team)
        cancel(self.curator.user, job)
        before = said(job)
        cancel(self.maintainer.user, job)
        self.assertEqual(said(job), before)
        self.assertEqual(fresh(job).cancelled_by, self.curator.user)

    def test_a_maintainer_of_the_team_may(self) -> None:
        job = waiting_job(owner=self.curator.user, team=self.team)
        cancel(self.maintainer.user, job)
        self.assertEqual(fresh(job).cancelled_by, self.maintainer.user)

    def test_others_may_not(self) -> None:
        job = waiting_job(owner=self.curator.user, team=self.team)
        for persona in (self.reader, self.reviewer, self.adjudicator, self.outsider):
            with (
                self.subTest(persona=persona.user.username),
                self.assertRaises(AccessDenied),
            ):
                cancel(persona.user, job)
        self.assertEqual(fresh(job).state, Job.QUEUED)

    def test_a_maintainer_elsewhere_may_not_touch_a_job_without_a_team(self) -> None:
        with self.assertRaises(AccessDenied):
            cancel(self.maintainer.user, waiting_job(owner=self.curator.user))

    def test_what_has_ended_cannot_be_cancelled(self) -> None:
        job = waiting_job(owner=self.curator.user)
        run_waiting()
        with self.assertNoEvent(), self.assertRaises(WrongState) as caught:
            cancel(self.curator.user, job)
        self.assertIn("already ended: done", str(caught.exception))
        self.assertEqual(caught.exception.job.state, Job.DONE)


class RetryTest(WorkbenchTestCase):
    def failed(self) -> Job:
        job = waiting_job(
            "sample-fail",
            args={"how": "words"},
            owner=self.curator.user,
            team=self.team,
        )
        run_waiting()
        return fresh(job)

    def test_a_failed_job_goes_back_into_the_queue(self) -> None:
        job = self.failed()
        retry(self.curator.user, job)
        row = fresh(job)
        self.assertEqual(
            (row.state, row.error, row.finished_at, row.attempt),
            ("queued", "", None, 1),
        )
        self.assertEqual(row.max_attempts, 4)
        self.assertEvent("job.retried", by=self.curator.user, about=job)
        self.assertEqual(run_waiting(), 1)
        self.assertEqual(fresh(job).attempt, 2)

    def test_a_cancelled_job_can_be_retried_and_is_no_longer_cancelled(self) -> None:
        job = waiting_job(owner=self.curator.user)
        cancel(self.curator.user, job)
        retry(self.curator.user, job)
        run_waiting()
        self.assertEqual(fresh(job).state, Job.DONE)
        self.assertIsNone(fresh(job).cancelled_by)

    def test_what_is_done_or_open_cannot_be_retried(self) -> None:
        done = waiting_job(owner=self.curator.user)
        run_waiting()
        for job in (done, waiting_job(owner=self.curator.user)):
            with (
                self.subTest(state=job.state),
                self.assertRaises(WrongState),
                self.assertNoEvent(),
            ):
                retry(self.curator.user, job)

    def test_what_is_no_longer_declared_cannot_be_retried(self) -> None:
        job = self.failed()
        Job.objects.filter(pk=job.pk).update(name="gone")
        with self.assertRaisesMessage(WrongState, "no longer has this kind of job"):
            retry(self.curator.user, job)

    def test_readers_may_not(self) -> None:
        with self.assertRaises(AccessDenied):
            retry(self.reader.user, self.failed())
