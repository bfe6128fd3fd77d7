from __future__ import annotations

import os
from datetime import timedelta

from django.utils import timezone

from tests.case import WorkbenchTestCase
from tests.workbench.jobs.made import fresh, running_job, said
from tests.workbench.jobs.test_lease import expire
from workbench.jobs import JobRun, cancel
from workbench.jobs.models import Job, WorkerRow
from workbench.jobs.reaper import reap, reap_local, sweep_scratch
from workbench.jobs.run import scratch_root
from workbench.jobs.worker.processes import started
from workbench.jobs.worker.registration import Registration


class ReaperTest(WorkbenchTestCase):
    def test_it_returns_what_fell_silent(self) -> None:
        silent, alive = running_job(), running_job()
        expire(silent)
        self.assertEqual(reap(), 1)
        self.assertEqual(
            (fresh(silent).state, fresh(alive).state), ("queued", "running")
        )
        self.assertIn("its worker fell silent", said(silent)[-1])

    def test_it_gives_up_after_the_last_attempt(self) -> None:
        job = running_job()
        Job.objects.update(attempt=3)
        expire(job)
        reap()
        self.assertEqual(
            fresh(job).error, "Given up after 3 attempts: its worker fell silent."
        )
        self.assertEvent("job.failed", about=job)

    def test_it_cancels_what_was_to_be_cancelled(self) -> None:
        job = running_job(owner=self.curator.user)
        cancel(self.curator.user, job)
        expire(job)
        reap()
        self.assertEqual(fresh(job).state, Job.CANCELLED)

    def test_it_removes_the_scratch_folder(self) -> None:
        job = running_job()
        folder = JobRun(job).scratch()
        expire(job)
        reap()
        self.assertFalse(folder.exists())

    def test_it_forgets_workers_after_an_hour(self) -> None:
        for name in ("old", "new"):
            Registration(name, 2, ["interactive"], frozenset()).beat()
        WorkerRow.objects.filter(name="old").update(
            heartbeat_at=timezone.now() - timedelta(hours=2)
        )
        reap()
        self.assertEqual(WorkerRow.objects.get().name, "new")


class LocalReaperTest(WorkbenchTestCase):
    def worker(self, **fields: object) -> None:
        Registration("worker-1", 2, ["interactive"], frozenset()).beat()
        WorkerRow.objects.update(**fields)

    def test_it_returns_at_once_what_a_killed_worker_of_this_machine_held(self) -> None:
        self.worker(
            pid_started=started(os.getpid()) - 1
        )  # its pid is taken by somebody else now
        job = running_job()
        self.assertEqual(reap_local(), 1)
        self.assertEqual(fresh(job).state, Job.QUEUED)
        self.assertIn("its worker was killed", said(job)[-1])
        self.assertFalse(WorkerRow.objects.exists())

    def test_it_leaves_living_workers_alone(self) -> None:
        self.worker()
        job = running_job()
        self.assertEqual(reap_local(), 0)
        self.assertEqual(fresh(job).state, Job.RUNNING)

    def test_it_leaves_workers_of_other_machines_alone(self) -> None:
        self.worker(pid_started=1, place="elsewhere")
        job = running_job()
        self.assertEqual(reap_local(), 0)
        self.assertEqual(fresh(job).state, Job.RUNNING)


class SweepTest(WorkbenchTestCase):
    def test_it_removes_old_folders_that_no_running_job_owns(self) -> None:
        mine = JobRun(running_job()).scratch()
        fresh_one, old = (
            scratch_root() / "job-900-aaaaaaaaaaaa",
            scratch_root() / "job-901-bbbbbbbbbbbb",
        )
        for folder in (fresh_one, old):
            folder.mkdir()
        for folder in (mine, old):
            os.utime(folder, (0, 0))
        self.assertEqual(sweep_scratch(), 1)
        self.assertEqual(
            [folder.exists() for folder in (mine, fresh_one, old)], [True, True, False]
        )
        for folder in (mine, fresh_one):
            folder.rmdir()
