from __future__ import annotations

from datetime import timedelta

from django.utils import timezone

from tests.case import WorkbenchTestCase
from tests.workbench.jobs.made import fresh, running_job, waiting_job
from workbench.access.models import Grant
from workbench.jobs.models import Job, WorkerRow
from workbench.jobs.selectors import queue_states, visible_jobs, why_waiting
from workbench.jobs.worker.registration import Registration


class WhyWaitingTest(WorkbenchTestCase):
    def worker(
        self,
        name: str = "w",
        queues: str = "interactive grading",
        offers: str = "",
        **fields: object,
    ) -> None:
        Registration(name, 2, queues.split(), frozenset(offers.split())).beat()
        WorkerRow.objects.filter(name=name).update(**fields)

    def why(self, job: Job) -> str:
        with self.assertMostQueries(2):
            return why_waiting(job)

    def test_no_worker_is_up(self) -> None:
        self.assertEqual(
            self.why(waiting_job()),
            "No worker is up. Start one with bin/workbench worker.",
        )

    def test_a_silent_or_stopping_worker_is_not_up(self) -> None:
        self.worker("silent", heartbeat_at=timezone.now() - timedelta(minutes=5))
        self.worker("stopping", stopping=True)
        self.assertIn("No worker is up", self.why(waiting_job()))

    def test_nobody_takes_the_queue(self) -> None:
        self.worker(queues="grading")
        self.assertEqual(
            self.why(waiting_job()),
            "1 worker is up, but it does not take the queue interactive. "
            "Start one with bin/workbench worker --queues interactive.",
        )

    def test_nobody_knows_the_job(self) -> None:
        self.worker(jobs="sample-nothing")
        self.assertEqual(
            self.why(waiting_job()),
            "1 worker is up, but it does not know this kind of job. Restart the workers after an upgrade.",
        )

    def test_nobody_offers_what_it_needs(self) -> None:
        self.worker("a", offers="python-runner")
        self.worker("b", offers="lean:4.29.2")
        self.assertEqual(
            self.why(waiting_job("sample-needy")),
            "2 workers are up, but none offers lean:4.29.1. Start a worker on a machine that has it.",
        )

    def test_it_is_next_or_others_are_ahead(self) -> None:
        self.worker(offers="lean:4.29.1")
        jobs = [waiting_job("sample-needy") for _ in range(3)]
        self.assertEqual(self.why(jobs[0]), "Next in line.")
        self.assertEqual(self.why(jobs[1]), "1 job of this queue is ahead of it.")
        self.assertEqual(self.why(jobs[2]), "2 jobs of this queue are ahead of it.")

    def test_a_long_line_is_not_counted_to_its_end(self) -> None:
        self.worker()
        first = waiting_job()
        Job.objects.bulk_create(
            Job(**{field: getattr(first, field) for field in ("name", "queue", "priority", "max_attempts", "limit_s",
                "correlation", "created_at")}) for _ in range(150)
        )  # fmt: skip
        self.assertEqual(
            self.why(waiting_job()), "More than 100 jobs of this queue are ahead of it."
        )

    def test_what_does_not_wait_has_no_reason(self) -> None:
        self.assertEqual(why_waiting(running_job()), "")


class VisibleJobsTest(WorkbenchTestCase):
    def test_one_sees_ones_own_and_those_of_ones_teams(self) -> None:
        own = waiting_job(owner=self.reader.user)
        team = waiting_job(owner=self.curator.user, team=self.team)
        waiting_job(owner=self.curator.user)
        waiting_job(owner=self.outsider.user, team=self.other_team)
        waiting_job()
        self.assertEqual(set(visible_jobs(self.reader.user)), {own, team})

    def test_a_role_on_an_instance_shows_its_jobs(self) -> None:
        job = waiting_job(owner=self.curator.user, team=self.team)
        Job.objects.filter(pk=job.pk).update(instance_id=5)
        self.assertEqual(set(visible_jobs(self.outsider.user)), set())
        Grant.objects.create(
            user=self.outsider.user, role="reader", object_kind="instance", object_id=5
        )
        self.assertEqual(set(visible_jobs(self.outsider.user)), {job})

    def test_a_closed_account_sees_nothing(self) -> None:
        waiting_job(owner=self.reader.user)
        self.reader.user.is_active = False
        self.assertEqual(set(visible_jobs(self.reader.user)), set())


class QueueStatesTest(WorkbenchTestCase):
    def test_every_queue_is_there_with_what_is_open(self) -> None:
        running_job()
        job = waiting_job()
        waiting_job("sample-publish", args={"name": "x"})
        with self.assertNumQueries(1):
            states = {state.name: state for state in queue_states()}
        self.assertEqual(list(states), ["interactive", "grading", "exports", "agents"])
        self.assertEqual(
            (states["interactive"].running, states["interactive"].waiting), (1, 1)
        )
        self.assertEqual(states["interactive"].oldest, fresh(job).created_at)
        self.assertEqual(
            (states["grading"].waiting, states["agents"].oldest), (1, None)
        )
