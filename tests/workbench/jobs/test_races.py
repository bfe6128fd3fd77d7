"""Several threads at once on a real database, as several web and worker processes are."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable
from datetime import timedelta
from functools import partial
from typing import Any

from django.db import connection, transaction
from django.utils import timezone

from tests.case import CommittedTestCase
from tests.workbench.jobs.made import (
    ADD,
    claimed,
    fresh,
    running_job,
    said,
    waiting_job,
)
from workbench.access.models import Team
from workbench.events.log import broken_links
from workbench.events.models import Event
from workbench.jobs import JobRun, LeaseLost, cancel, submit
from workbench.jobs.actions import WrongState
from workbench.jobs.interrupts import JobCancelled
from workbench.jobs.models import Job
from workbench.jobs.reaper import reap

THREADS, ROUNDS = 6, 12


def at_once(*calls: Callable[[], Any]) -> list[Any]:
    """Call all of `calls` at the same moment in threads of their own; return what came out, exceptions as values."""
    barrier = threading.Barrier(len(calls))
    results: list[Any] = [None] * len(calls)

    def run(number: int, call: Callable[[], Any]) -> None:
        try:
            barrier.wait()
            results[number] = call()
        except BaseException as error:
            results[number] = error
        finally:
            connection.close()

    threads = [threading.Thread(target=run, args=pair) for pair in enumerate(calls)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


class RacesTest(CommittedTestCase):
    def tearDown(self) -> None:
        self.assertEqual(list(broken_links()), [])

    def test_each_job_is_claimed_by_one_worker(self) -> None:
        jobs = [waiting_job() for _ in range(40)]

        def work(name: str) -> list[int]:
            mine = []
            while (job := claimed(name)) is not None:
                mine.append(job.pk)
            return mine

        taken = at_once(*(partial(work, f"worker-{n}") for n in range(THREADS)))
        counted = Counter(pk for mine in taken for pk in mine)
        # On SQLite a claim that finds the database busy waits; on PostgreSQL it skips what another one has locked.
        self.assertEqual(counted, Counter(job.pk for job in jobs))
        self.assertEqual(set(Job.objects.values_list("attempt", flat=True)), {1})

    def test_a_double_click_makes_one_job(self) -> None:
        for number in range(ROUNDS):
            key = f"form-{number}"
            click = partial(
                submit, "sample-add", owner=self.curator.user, args=ADD, key=key
            )
            made = at_once(*[click] * THREADS)
            self.assertEqual([type(job) for job in made], [Job] * THREADS, made)
            self.assertEqual(len({job.pk for job in made}), 1)
        self.assertEqual(Job.objects.count(), ROUNDS)
        self.assertEqual(Event.objects.filter(verb="job.submitted").count(), ROUNDS)

    def test_cancelling_and_finishing_end_a_job_once(self) -> None:
        for number in range(ROUNDS):
            job = running_job(owner=self.curator.user)
            finished, asked = at_once(
                partial(self.publish, job, f"team-{number}"),
                partial(cancel, self.curator.user, job),
            )
            row = fresh(job)
            if finished is None:
                self.assertEqual(row.state, Job.DONE)
                self.assertIsInstance(asked, WrongState)
            else:
                self.assertIsInstance(finished, JobCancelled)
                self.assertEqual((row.state, row.cancel_requested), ("running", True))
            self.assertEqual(
                Team.objects.filter(slug=f"team-{number}").exists(), finished is None
            )

    def publish(self, job: Job, name: str) -> None:
        with JobRun(job).finishing() as finish:
            Team.objects.create(slug=name, name=name)
            finish()

    def test_a_cancel_does_not_wait_for_a_job_that_publishes_for_long(self) -> None:
        job = running_job(owner=self.curator.user)
        inside, asked = threading.Event(), threading.Event()

        def publish() -> None:
            with JobRun(job).finishing() as finish:
                inside.set()
                if connection.vendor == "postgresql":
                    asked.wait(30)
                finish()

        def ask() -> Job:
            inside.wait(30)
            try:
                return cancel(self.curator.user, job)
            finally:
                asked.set()

        finished, answer = at_once(publish, ask)
        self.assertIsNone(finished)
        self.assertIsInstance(answer, WrongState)
        self.assertEqual(fresh(job).state, Job.DONE)

    def test_finishing_late_and_being_taken_away_publish_one_result(self) -> None:
        for number in range(ROUNDS):
            job = running_job()
            Job.objects.filter(pk=job.pk).update(
                lease_until=timezone.now() - timedelta(seconds=1)
            )
            finished, _ = at_once(partial(self.publish, job, f"team-{number}"), reap)
            if finished is not None:
                self.assertIsInstance(finished, LeaseLost)
                again = claimed()
                assert again is not None
                self.publish(again, f"team-{number}")
            self.assertEqual(fresh(job).state, Job.DONE)
            self.assertEqual(
                Event.objects.filter(
                    verb="job.finished", object_id=str(job.pk)
                ).count(),
                1,
            )
        self.assertEqual(Team.objects.filter(slug__startswith="team-").count(), ROUNDS)

    def test_two_reapers_return_a_job_once(self) -> None:
        for _ in range(ROUNDS):
            job = running_job()
            Job.objects.filter(pk=job.pk).update(
                lease_until=timezone.now() - timedelta(seconds=1)
            )
            returned = at_once(reap, reap, reap)
            self.assertEqual(sorted(returned), [0, 0, 1], returned)
            self.assertEqual(sum("back in the queue" in line for line in said(job)), 1)
            self.assertIsNotNone(claimed())
            with transaction.atomic():
                Job.objects.filter(pk=job.pk).delete()

    def test_progress_of_many_jobs_at_once_loses_nothing(self) -> None:
        jobs = [running_job() for _ in range(THREADS)]

        def report(job: Job) -> None:
            run = JobRun(job)
            for number in range(20):
                run.log(f"line {number}")
            run.finish_empty()

        self.assertEqual(
            at_once(*(partial(report, job) for job in jobs)), [None] * THREADS
        )
        for job in jobs:
            self.assertEqual(
                said(job)[2:-1], [f"line {number}" for number in range(20)]
            )
