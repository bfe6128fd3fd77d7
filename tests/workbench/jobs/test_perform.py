from __future__ import annotations

from unittest.mock import patch

from django.db import OperationalError

from tests.case import WorkbenchTestCase
from tests.workbench.jobs.made import fresh, running_job, said, waiting_job
from tests.workbench.jobs.samples import jobs as samples
from tests.workbench.jobs.test_endings import claimed_again
from workbench.events.models import Event
from workbench.jobs import cancel
from workbench.jobs.declared import declare
from workbench.jobs.models import Job
from workbench.jobs.perform import perform, run_waiting


class PerformTest(WorkbenchTestCase):
    def outcome(self, how: str) -> tuple[str, str]:
        job = running_job("sample-fail", args={"how": how})
        perform(job)
        return fresh(job).state, fresh(job).error

    def test_a_job_is_run_to_its_end(self) -> None:
        job = running_job()
        perform(job)
        self.assertEqual((fresh(job).state, fresh(job).outcome), ("done", {"sum": 3}))

    def test_a_job_that_just_returns_is_done(self) -> None:
        job = running_job("sample-nothing")
        perform(job)
        self.assertEqual(
            (fresh(job).state, fresh(job).outcome, said(job)[-1]),
            ("done", None, "done"),
        )

    def test_how_a_job_ends_is_told(self) -> None:
        self.assertEqual(
            self.outcome("words"),
            ("failed", "Line 3 of manifest.json: expected a list."),
        )
        self.assertEqual(
            self.outcome("declined"),
            ("declined", "It would need more than 2 GB of memory."),
        )
        self.assertEqual(
            self.outcome("bug"), ("failed", "ZeroDivisionError: by nothing")
        )
        self.assertEqual(self.outcome("exit"), ("failed", "SystemExit: 3"))

    def test_only_an_unexpected_error_leaves_a_trace(self) -> None:
        job = running_job("sample-fail", args={"how": "bug"})
        perform(job)
        self.assertIn("ZeroDivisionError", job.events.get(kind="trace").text)
        job = running_job("sample-fail", args={"how": "words"})
        perform(job)
        self.assertFalse(job.events.filter(kind="trace").exists())

    def test_a_cancelled_job_ends_cancelled(self) -> None:
        job = running_job(owner=self.curator.user)
        cancel(self.curator.user, job)
        perform(job)
        self.assertEqual(fresh(job).state, Job.CANCELLED)
        self.assertEvent("job.cancelled", by=self.curator.user, about=job)

    def test_a_job_that_was_taken_away_writes_nothing(self) -> None:
        job = running_job()
        other = claimed_again(job)
        events = Event.objects.count()
        perform(job)
        self.assertEqual((fresh(job).state, fresh(job).lease), ("running", other.lease))
        self.assertEqual(Event.objects.count(), events)
        perform(other)
        self.assertEqual(fresh(job).state, Job.DONE)

    def test_a_database_that_went_away_costs_an_attempt_and_no_more(self) -> None:
        job = running_job("sample-add")
        with (
            patch.object(
                samples.JobRun,
                "progress",
                side_effect=OperationalError("server closed the connection"),
            ),
            patch("workbench.jobs.perform.connection"),
        ):
            perform(job)
        self.assertEqual(fresh(job).state, Job.QUEUED)
        self.assertIn("server closed the connection", said(job)[-1])

    def test_an_error_after_the_end_changes_nothing(self) -> None:
        @declare("sample-late", title="Late")
        def late(run: samples.JobRun) -> None:
            with run.finishing() as finish:
                finish(summary="true")
            raise ZeroDivisionError

        job = running_job("sample-late")
        with self.assertLogs("workbench.jobs.perform", "ERROR"):
            perform(job)
        self.assertEqual((fresh(job).state, fresh(job).summary), ("done", "true"))

    def test_everything_that_waits_is_run(self) -> None:
        jobs = [waiting_job() for _ in range(3)]
        needy = waiting_job("sample-needy")
        self.assertEqual(run_waiting(), 3)
        self.assertEqual({fresh(job).state for job in jobs}, {"done"})
        self.assertEqual(fresh(needy).state, Job.QUEUED)
        self.assertEqual(run_waiting(frozenset({"lean:4.29.1"})), 1)

    def test_what_a_job_does_shares_its_correlation(self) -> None:
        job = running_job("sample-publish", args={"name": "made"})
        perform(job)
        self.assertEqual(
            set(Event.objects.values_list("correlation", flat=True)), {job.correlation}
        )
