"""The same work on the engines that have a broker, with a real Redis. What dies there: test_kills.py."""

from __future__ import annotations

from typing import Any

import pytest

from tests.workbench.jobs.made import waiting_job
from tests.workbench.jobs.worker import test_worker
from tests.workbench.jobs.worker.harness import OnRedis, WorkerTestCase
from workbench.jobs import cancel
from workbench.jobs.models import Job

_SAME_ON_ALL: Any = None


class BrokerTest(OnRedis, test_worker.WorkTest):
    """What does not depend on the engine is left to the embedded one."""

    __test__ = False
    test_a_database_without_tables_is_said_in_a_sentence = _SAME_ON_ALL
    test_once_ends_when_nothing_waits_that_it_can_do = _SAME_ON_ALL

    def test_a_running_job_is_cancelled(self) -> None:
        self.worker()
        job = waiting_job("sample-sleep", args={"seconds": 600}, owner=self.curator.user)  # fmt: skip
        self.wait_for(job, Job.RUNNING)
        cancel(self.curator.user, job)
        self.wait_for(job, Job.CANCELLED)


@pytest.mark.one_database  # a team that runs a broker runs PostgreSQL; the engines share all that touches the database
class WorkOnRqTest(BrokerTest):
    __test__ = True
    engine = "rq"


@pytest.mark.one_database
class WorkOnCeleryTest(BrokerTest):
    __test__ = True
    engine = "celery"


class NoRoomTest(WorkerTestCase):
    def test_a_worker_without_room_begins_nothing_and_the_job_says_why(self) -> None:
        from workbench.jobs.models import WorkerRow
        from workbench.jobs.selectors import why_waiting

        self.worker(WORKBENCH_DISK_RESERVE_MB="999999999999")
        job = waiting_job()
        self.assertIn("is nearly full", WorkerRow.objects.get().trouble)
        self.assertIn("takes no new work: the disk", why_waiting(job))
        self.worker()
        self.wait_for(job, Job.DONE)
