from __future__ import annotations

from collections.abc import Callable
from functools import partial

from django.db import IntegrityError, transaction
from django.test import TestCase

from tests.case import WorkbenchTestCase
from tests.workbench.jobs.made import claimed, fresh, running_job, said
from workbench.events.models import Event
from workbench.jobs import cancel, endings
from workbench.jobs.models import Job


class EndingsTest(WorkbenchTestCase):
    def running(self) -> Job:
        return running_job(owner=self.curator.user, team=self.team)

    def test_finishing_keeps_the_result_and_gives_the_lease_back(self) -> None:
        job = self.running()
        self.assertTrue(
            endings.finish(job, result='{"sum": 3}', summary="three", link="/")
        )
        row = fresh(job)
        self.assertEqual(
            (row.state, row.outcome, row.summary, row.link),
            ("done", {"sum": 3}, "three", "/"),
        )
        self.assertEqual((row.lease, row.lease_until), ("", None))
        event = self.assertEvent("job.finished", about=job, summary="three", attempt=1)
        self.assertTrue(event.implicit)
        self.assertEqual(event.correlation, job.correlation)

    def test_failing_keeps_the_reason(self) -> None:
        job = self.running()
        self.assertTrue(endings.fail(job, "line 3", trace="Traceback"))
        self.assertEqual((fresh(job).state, fresh(job).error), ("failed", "line 3"))
        self.assertEqual(said(job)[-2:], ["line 3", "Traceback"])
        self.assertEvent("job.failed", about=job, error="line 3")

    def test_a_limit_declines_and_does_not_fail(self) -> None:
        job = self.running()
        endings.fail(job, "too long", state=Job.DECLINED)
        self.assertEqual((fresh(job).state, fresh(job).tone), ("declined", "warn"))
        self.assertEvent("job.declined", about=job)

    def test_cancelling_names_who_asked(self) -> None:
        job = self.running()
        cancel(self.maintainer.user, job)
        self.assertTrue(endings.cancelled(job))
        self.assertEqual(fresh(job).state, Job.CANCELLED)
        self.assertEvent("job.cancelled", by=self.maintainer.user, about=job)

    def test_nobody_asked_nothing_is_cancelled(self) -> None:
        job = self.running()
        self.assertFalse(endings.cancelled(job))
        self.assertEqual(fresh(job).state, Job.RUNNING)

    def test_handing_back_returns_it_to_the_queue(self) -> None:
        job = self.running()
        with self.assertNoEvent():
            self.assertTrue(endings.hand_back(job, "its process was killed"))
        row = fresh(job)
        self.assertEqual(
            (row.state, row.attempt, row.max_attempts, row.lease), ("queued", 1, 3, "")
        )
        self.assertEqual(
            said(job)[-1], "attempt 1 ended: its process was killed; back in the queue"
        )

    def test_the_last_attempt_gives_up_with_the_reason(self) -> None:
        job: Job | None = self.running()
        for _ in range(2):
            assert job is not None
            endings.hand_back(job, "its process was killed")
            job = claimed()
        assert job is not None
        endings.hand_back(job, "its process was killed")
        self.assertEqual(
            (fresh(job).state, fresh(job).error),
            ("failed", "Given up after 3 attempts: its process was killed."),
        )

    def test_an_attempt_that_does_not_count_can_be_repeated_for_ever(self) -> None:
        job: Job | None = self.running()
        for number in range(5):
            assert job is not None
            endings.hand_back(job, "its worker ended", counted=False)
            self.assertEqual(fresh(job).state, Job.QUEUED)
            job = claimed()
            assert job is not None
            self.assertEqual(job.attempt, number + 2)

    def test_handing_back_a_cancelled_job_cancels_it(self) -> None:
        job = self.running()
        cancel(self.curator.user, job)
        self.assertTrue(endings.hand_back(job, "its process was killed"))
        self.assertEqual(fresh(job).state, Job.CANCELLED)

    def test_whoever_lost_the_lease_writes_nothing(self) -> None:
        job = self.running()
        other = claimed_again(job)
        ways: dict[str, Callable[[], bool]] = {
            "finish": partial(endings.finish, job, result="", summary="", link=""),
            "fail": partial(endings.fail, job, "no", trace="no"),
            "cancelled": partial(endings.cancelled, job),
            "hand_back": partial(endings.hand_back, job, "no"),
        }
        events, log = Event.objects.count(), said(job)
        for name, way in ways.items():
            with self.subTest(way=name):
                self.assertFalse(way())
        self.assertEqual((fresh(job).state, fresh(job).lease), ("running", other.lease))
        self.assertEqual((Event.objects.count(), said(job)), (events, log))

    def test_progress_rows_go_when_it_ends(self) -> None:
        from workbench.jobs.run import JobRun

        job = self.running()
        run = JobRun(job)
        run.progress(1, 3, "one")
        run.log("kept")
        run.finish_empty()
        self.assertEqual(
            said(job),
            ["submitted by curator", "attempt 1 began on worker-1", "kept", "done"],
        )


def claimed_again(job: Job) -> Job:
    """Return `job` as a second worker holds it, after the first was thought dead."""
    endings.hand_back(job, "its worker fell silent")
    other = claimed("worker-2")
    assert other is not None
    assert other.pk == job.pk
    return other


class ConstraintTest(TestCase):
    def test_only_a_running_job_has_a_lease(self) -> None:
        job = running_job()
        for change in ({"state": Job.QUEUED}, {"lease": ""}, {"lease_until": None}):
            with (
                self.subTest(change=change),
                self.assertRaises(IntegrityError),
                transaction.atomic(),
            ):
                Job.objects.filter(pk=job.pk).update(**change)

    def test_what_has_ended_has_a_time(self) -> None:
        job = running_job()
        with self.assertRaises(IntegrityError), transaction.atomic():
            Job.objects.filter(pk=job.pk).update(
                state=Job.DONE, lease="", lease_until=None
            )
