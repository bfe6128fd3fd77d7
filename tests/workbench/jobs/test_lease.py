from __future__ import annotations

from datetime import timedelta

from django.test import override_settings
from django.utils import timezone

from tests.case import WorkbenchTestCase
from tests.workbench.jobs.made import claimed, fresh, running_job, said, waiting_job
from workbench.jobs import cancel
from workbench.jobs.lease import (
    expired,
    extend,
    hold,
    needs_met_by,
    wanted_back,
)
from workbench.jobs.models import Job
from workbench.jobs.statements import claim


def expire(job: Job) -> None:
    Job.objects.filter(pk=job.pk).update(
        lease_until=timezone.now() - timedelta(seconds=1)
    )


class ClaimTest(WorkbenchTestCase):
    def test_it_leases_the_job_under_a_fresh_token(self) -> None:
        made = waiting_job()
        job = claimed("worker-7")
        assert job is not None
        row = fresh(made)
        self.assertEqual(
            (job.pk, job.lease, job.attempt), (row.pk, row.lease, row.attempt)
        )
        self.assertEqual(
            (row.state, row.worker, row.attempt, len(row.lease)),
            ("running", "worker-7", 1, 32),
        )
        self.assertEqual(said(row)[-1], "attempt 1 began on worker-7")

    @override_settings(JOB_LEASE_SECONDS=30)
    def test_the_lease_is_as_long_as_the_setting_says(self) -> None:
        job = fresh(running_job())
        assert job.lease_until is not None
        left = (job.lease_until - timezone.now()).total_seconds()
        self.assertTrue(25 < left <= 31, left)

    def test_it_takes_nothing_where_nothing_waits(self) -> None:
        running_job()
        self.assertIsNone(claimed())

    def test_it_takes_the_more_urgent_and_then_the_older_first(self) -> None:
        late = waiting_job("sample-publish", args={"name": "x"})
        first, second = waiting_job(), waiting_job()
        urgent = waiting_job(priority=90)
        order = [claimed() for _ in range(4)]
        self.assertEqual(
            [job.pk for job in order if job], [urgent.pk, first.pk, second.pk, late.pk]
        )

    def test_it_takes_only_its_queues_and_kinds(self) -> None:
        waiting_job()
        self.assertIsNone(
            claim("w", queues=["grading"], names=["sample-add"], needs=[""])
        )
        self.assertIsNone(
            claim("w", queues=["interactive"], names=["sample-nothing"], needs=[""])
        )
        self.assertIsNone(claim("w", queues=["interactive"], names=[], needs=[""]))
        self.assertIsNotNone(
            claim(
                "w", queues=["grading", "interactive"], names=["sample-add"], needs=[""]
            )
        )

    def test_it_waits_until_the_time_has_come(self) -> None:
        job = waiting_job()
        Job.objects.update(not_before=timezone.now() + timedelta(minutes=1))
        self.assertIsNone(claimed())
        Job.objects.update(not_before=timezone.now() - timedelta(seconds=1))
        found = claimed()
        assert found is not None
        self.assertEqual(found.pk, job.pk)

    def test_it_takes_a_needy_job_only_with_what_it_needs(self) -> None:
        waiting_job("sample-needy")
        self.assertEqual(needs_met_by(frozenset()), [""])
        self.assertEqual(needs_met_by({"lean:4.29.2"}), [""])
        self.assertIsNone(claimed())
        needs = needs_met_by({"lean:4.29.1", "python-runner"})
        self.assertEqual(needs, ["", "lean:4.29.1"])
        self.assertIsNotNone(claimed(needs=tuple(needs)))

    def test_arguments_and_times_come_back_as_they_are_stored(self) -> None:
        waiting_job(owner=self.curator.user, team=self.team)
        job = claimed()
        assert job is not None
        row = fresh(job)
        for field in Job._meta.concrete_fields:
            with self.subTest(field=field.name):
                self.assertEqual(
                    getattr(job, field.attname), getattr(row, field.attname)
                )


class HoldTest(WorkbenchTestCase):
    def test_it_extends_the_lease_and_writes(self) -> None:
        job = running_job()
        expire(job)
        self.assertTrue(hold(job, doing="base58"))
        self.assertFalse(expired().exists())
        self.assertEqual(fresh(job).doing, "base58")

    def test_it_writes_nothing_under_another_lease(self) -> None:
        job = running_job()
        Job.objects.filter(pk=job.pk).update(lease="other")
        self.assertFalse(hold(job, doing="base58"))
        self.assertEqual(fresh(job).doing, "")

    def test_it_writes_nothing_once_cancelled(self) -> None:
        job = running_job(owner=self.curator.user)
        cancel(self.curator.user, job)
        self.assertFalse(hold(job, doing="base58"))
        self.assertEqual(fresh(job).doing, "")

    def test_a_worker_extends_all_its_leases_and_no_others(self) -> None:
        mine, lost, others = running_job(), running_job(), running_job()
        for job in (mine, lost, others):
            expire(job)
        Job.objects.filter(pk=lost.pk).update(lease="other")
        extend({mine.pk: mine.lease, lost.pk: lost.lease})
        self.assertEqual(
            set(expired().values_list("pk", flat=True)), {lost.pk, others.pk}
        )

    def test_it_hears_what_must_stop(self) -> None:
        fine, asked, lost, ended = (
            running_job(owner=self.curator.user) for _ in range(4)
        )
        cancel(self.curator.user, asked)
        Job.objects.filter(pk=lost.pk).update(lease="other")
        Job.objects.filter(pk=ended.pk).update(
            state=Job.DONE, lease="", lease_until=None, finished_at=timezone.now()
        )
        with self.assertNumQueries(1):
            stopped = wanted_back(
                {job.pk: job.lease for job in (fine, asked, lost, ended)}
            )
        self.assertEqual(
            stopped, {asked.pk: "cancelled", lost.pk: "lost", ended.pk: "lost"}
        )
