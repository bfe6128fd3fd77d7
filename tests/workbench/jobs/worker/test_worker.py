"""Whole workers: what they run, what they survive, what they leave behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from django.conf import settings
from django.db import connection, transaction

from tests.workbench.jobs.made import fresh, said, waiting_job
from tests.workbench.jobs.worker.harness import (
    UNDER_TEST,
    WorkerTestCase,
    alive,
    database_url,
    until,
)
from workbench.access.models import Team
from workbench.events.log import broken_links
from workbench.events.models import Event
from workbench.jobs import cancel
from workbench.jobs.models import Job, WorkerRow
from workbench.jobs.selectors import why_waiting
from workbench.jobs.worker.processes import descendants


class WorkTest(WorkerTestCase):
    def test_it_runs_what_waits_and_what_comes_and_signs_off(self) -> None:
        before = waiting_job()
        worker = self.worker()
        self.assertEqual(self.wait_for(before, Job.DONE).outcome, {"sum": 3})
        row = WorkerRow.objects.get()
        self.assertEqual((row.pid, row.processes, row.stopping), (worker.pid, 1, False))
        self.wait_for(waiting_job(), Job.DONE)
        executor = self.executor_of(worker)
        self.stop(worker)
        self.assertFalse(WorkerRow.objects.exists())
        self.assertFalse(alive(executor))

    def test_two_workers_share_the_work(self) -> None:
        jobs = [waiting_job() for _ in range(30)]
        self.worker("--processes", "2")
        self.worker("--processes", "2")
        for job in jobs:
            self.wait_for(job, Job.DONE)
        began = [line for job in jobs for line in said(job) if "began" in line]
        self.assertEqual(len(began), len(jobs))
        self.assertEqual(Event.objects.filter(verb="job.finished").count(), len(jobs))
        self.assertEqual(list(broken_links()), [])

    def test_once_ends_when_nothing_waits_that_it_can_do(self) -> None:
        jobs = [waiting_job() for _ in range(5)]
        needy = waiting_job("sample-needy")
        worker = self.start("--once")
        worker.communicate(timeout=60)
        self.assertEqual(worker.returncode, 0)
        self.assertEqual({fresh(job).state for job in jobs}, {"done"})
        self.assertEqual(fresh(needy).state, Job.QUEUED)

    def test_a_needy_job_waits_for_a_worker_that_has_what_it_needs(self) -> None:
        needy = waiting_job("sample-needy")
        self.worker()
        self.wait_for(waiting_job(), Job.DONE)
        self.assertEqual(fresh(needy).state, Job.QUEUED)
        self.assertIn("does not offer lean:4.29.1", why_waiting(needy))
        self.worker("--offers", "lean:4.29.1,python-runner")
        self.wait_for(needy, Job.DONE)

    def test_a_database_without_tables_is_said_in_a_sentence(self) -> None:
        empty = f"sqlite:///{self.folder / 'empty.sqlite3'}"
        worker = self.start(DATABASE_URL=empty)
        said_words, _ = worker.communicate(timeout=60)
        self.assertEqual(worker.returncode, 2)
        self.assertIn("lacks tables of this version", said_words)
        self.assertNotIn("Traceback", said_words)


class DeathTest(WorkerTestCase):
    def sleeping(self, seconds: float, **args: object) -> Job:
        return waiting_job(
            "sample-sleep",
            args={"seconds": seconds, "folder": str(self.folder), **args},
        )

    def test_a_killed_executor_costs_an_attempt(self) -> None:
        worker = self.worker()
        job = self.sleeping(3)
        (pid,) = until(self.attempts, "the first attempt")
        self.assertEqual(pid, self.executor_of(worker))
        os.kill(pid, signal.SIGKILL)
        row = self.wait_for(job, Job.DONE)
        self.assertEqual(row.attempt, 2)
        self.assertEqual(len(set(self.attempts())), 2)
        self.assertEqual(
            Event.objects.filter(verb="job.finished", object_id=str(job.pk)).count(), 1
        )
        self.assertIn(
            "attempt 1 ended: its process was killed by signal 9; back in the queue",
            said(job),
        )

    def test_a_job_that_always_kills_its_process_is_given_up(self) -> None:
        self.worker()
        job = waiting_job("sample-crash")
        row = self.wait_for(job, Job.FAILED)
        self.assertEqual(
            row.error, "Given up after 3 attempts: its process was killed by signal 9."
        )

    def test_a_killed_worker_leaves_no_process_and_the_next_one_takes_its_job(
        self,
    ) -> None:
        worker = self.worker()
        job = waiting_job(
            "sample-family",
            args={"folder": str(self.folder), "seconds": 600},
            owner=self.curator.user,
        )
        family = self.family()
        executor = self.executor_of(worker)
        self.assertTrue(all(alive(pid) for pid in [*family, executor]))
        os.kill(worker.pid, signal.SIGKILL)
        worker.wait()
        until(
            lambda: not any(alive(pid) for pid in [*family, executor]),
            "the orphans to end",
        )
        for path in self.folder.glob("*"):
            path.unlink()
        # Its lease is still good for half a minute; the next worker on this machine sees that its holder is dead.
        self.worker()
        self.assertEqual(self.wait_for(job, Job.RUNNING).attempt, 2)
        self.family()
        cancel(self.curator.user, job)
        self.wait_for(job, Job.CANCELLED)

    def test_worker_and_executor_killed_together_leave_no_process_once_the_next_worker_is_up(
        self,
    ) -> None:
        worker = self.worker()
        job = waiting_job(
            "sample-sleep",
            args={"seconds": 600, "folder": str(self.folder), "stubborn": True},
        )
        (executor,) = until(self.attempts, "the first attempt")
        stray = self.stray_of(executor)
        os.kill(
            worker.pid, signal.SIGSTOP
        )  # so that it does not clear up after the executor
        os.kill(executor, signal.SIGKILL)
        os.kill(worker.pid, signal.SIGKILL)
        worker.wait()
        self.assertTrue(alive(stray))
        self.worker()
        until(lambda: not alive(stray), "the stray to end")
        self.assertEqual(self.wait_for(job, Job.RUNNING).attempt, 2)

    def stray_of(self, executor: int) -> int:
        """Return a process with the mark of the executor's worker, as if the job had started it."""
        marked = dict(
            pair.split("=", 1)
            for pair in Path(f"/proc/{executor}/environ").read_text().split("\0")
            if pair.startswith("PROOFROOM_WORKER=")
        )
        self.assertEqual(len(marked), 1)
        process = subprocess.Popen(["/bin/sleep", "600"], env=marked)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process.pid

    def test_a_frozen_worker_loses_its_job_and_what_it_does_later_counts_for_nothing(
        self,
    ) -> None:
        frozen = self.worker(lease=2)
        job = waiting_job(
            "sample-add-slowly", args={"folder": str(self.folder), "seconds": 1}
        )
        (executor,) = until(self.attempts, "the first attempt")
        for pid in (frozen.pid, executor):
            os.kill(pid, signal.SIGSTOP)
        self.worker(lease=2)
        row = self.wait_for(job, Job.DONE)
        self.assertEqual(row.attempt, 2)
        for pid in (executor, frozen.pid):
            os.kill(pid, signal.SIGCONT)
        self.wait_for(waiting_job(), Job.DONE)
        until(
            lambda: (self.folder / "late").exists() or not alive(executor),
            "the late one to come to itself",
        )
        self.stop(frozen)
        self.assertEqual(fresh(job).summary, row.summary)
        self.assertEqual(Team.objects.filter(slug="slow").count(), 1)
        self.assertEqual(
            Event.objects.filter(verb="job.finished", object_id=str(job.pk)).count(), 1
        )

    def test_a_job_without_its_lease_is_stopped(self) -> None:
        self.worker()
        job = self.sleeping(600, stubborn=True)
        (executor,) = until(self.attempts, "the first attempt")
        Job.objects.filter(pk=job.pk).update(lease="somebody-else", worker="elsewhere")
        until(lambda: not alive(executor), "the executor to be killed")
        self.assertEqual(
            (fresh(job).state, fresh(job).worker), ("running", "elsewhere")
        )
        self.wait_for(waiting_job(), Job.DONE)

    def test_a_database_that_is_away_for_a_while_is_waited_for(self) -> None:
        worker = self.worker()
        self.wait_for(waiting_job(), Job.DONE)
        if connection.vendor == "postgresql":
            self.cut_connections_in_a_job_and_then_all_of_them()
        else:
            self.keep_everybody_from_writing()
        self.wait_for(waiting_job(), Job.DONE)
        self.assertIsNone(worker.poll())

    def cut_connections_in_a_job_and_then_all_of_them(self) -> None:
        self.assertEqual(
            self.wait_for(waiting_job("sample-unplug"), Job.DONE).attempt, 2
        )
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE application_name = %s",
                [UNDER_TEST],
            )
            self.assertGreaterEqual(cursor.fetchone()[0], 2)

    def keep_everybody_from_writing(self) -> None:
        with transaction.atomic():
            waiting_job()
            time.sleep(2)


@pytest.mark.one_database  # it is processes that are asked here
class StopTest(WorkerTestCase):
    def test_a_cancelled_job_dies_with_everything_that_came_of_it(self) -> None:
        worker = self.worker()
        job = waiting_job(
            "sample-family", args={"folder": str(self.folder)}, owner=self.curator.user
        )
        family = self.family()
        self.assertGreaterEqual(len(family), 3)
        self.assertTrue(all(alive(pid) for pid in family))
        cancel(self.curator.user, job)
        self.wait_for(job, Job.CANCELLED)
        until(lambda: not any(alive(pid) for pid in family), "the family to end")
        self.assertEvent("job.cancelled", by=self.curator.user, about=job)
        self.wait_for(waiting_job(), Job.DONE)
        self.assertIsNone(worker.poll())

    def test_a_job_that_looks_up_is_cancelled_without_losing_its_executor(self) -> None:
        worker = self.worker()
        job = waiting_job(
            "sample-sleep",
            args={"seconds": 600, "folder": str(self.folder)},
            owner=self.curator.user,
        )
        (executor,) = until(self.attempts, "the first attempt")
        cancel(self.curator.user, job)
        self.wait_for(job, Job.CANCELLED)
        self.wait_for(waiting_job(), Job.DONE)
        self.assertEqual(self.executor_of(worker), executor)

    def test_what_a_job_leaves_running_is_ended_with_it(self) -> None:
        self.worker()
        job = waiting_job(
            "sample-family", args={"folder": str(self.folder), "hang": False}
        )
        self.wait_for(job, Job.DONE)
        family = self.family()
        until(lambda: not any(alive(pid) for pid in family), "the leftovers to end")

    def test_a_job_over_its_limit_is_declined(self) -> None:
        self.worker()
        job = waiting_job("sample-overrun")
        row = self.wait_for(job, Job.DECLINED)
        self.assertEqual(
            row.error, "It ran longer than its limit of 1 s and was stopped."
        )
        self.assertEqual(row.attempt, 1)

    def test_a_stopped_worker_lets_a_short_job_end(self) -> None:
        worker = self.worker("--grace", "30")
        job = waiting_job(
            "sample-sleep", args={"seconds": 1, "folder": str(self.folder)}
        )
        until(self.attempts, "the first attempt")
        self.stop(worker)
        self.assertEqual((fresh(job).state, fresh(job).attempt), ("done", 1))

    def test_a_stopped_worker_hands_a_long_job_back_and_the_attempt_does_not_count(
        self,
    ) -> None:
        worker = self.worker("--grace", "0.5")
        job = waiting_job(
            "sample-sleep",
            args={"seconds": 600, "folder": str(self.folder), "stubborn": True},
        )
        (executor,) = until(self.attempts, "the first attempt")
        self.stop(worker)
        row = fresh(job)
        self.assertEqual((row.state, row.attempt, row.max_attempts), ("queued", 1, 4))
        self.assertFalse(alive(executor))
        self.assertIn("its worker ended", said(job)[-1])

    def test_a_killed_job_leaves_no_scratch_folder(self) -> None:
        self.worker()
        job = waiting_job(
            "sample-scratch",
            args={"folder": str(self.folder), "seconds": 600},
            owner=self.curator.user,
        )
        where = Path(until(lambda: self.note("where"), "the folder"))
        self.assertTrue((where / "file").exists())
        cancel(self.curator.user, job)
        self.wait_for(job, Job.CANCELLED)
        until(lambda: not where.exists(), "the folder to go")

    def note(self, name: str) -> str:
        path = self.folder / name
        return path.read_text() if path.exists() else ""

    def test_a_worker_can_end_with_its_parent(self) -> None:
        script = "import subprocess, sys, time; p = subprocess.Popen(sys.argv[1:]); print(p.pid, flush=True); time.sleep(600)"
        parent = subprocess.Popen(
            [sys.executable, "-c", script, sys.executable, str(settings.BASE_DIR / "manage.py"), "worker",
             "--processes", "1", "--with-parent"],
            stdout=subprocess.PIPE, text=True,
            env=os.environ | {"DATABASE_URL": database_url(), "DJANGO_SETTINGS_MODULE": "tests.workbench.jobs.settings"},
        )  # fmt: skip
        self.addCleanup(parent.communicate)
        self.addCleanup(parent.kill)
        assert parent.stdout is not None
        worker = int(parent.stdout.readline())
        until(WorkerRow.objects.exists, "the worker to sign on")
        executors = until(lambda: descendants(worker), "an executor")
        parent.kill()
        until(
            lambda: not any(alive(pid) for pid in [worker, *executors]),
            "the worker to end",
        )
        until(lambda: not WorkerRow.objects.exists(), "the worker to sign off")
