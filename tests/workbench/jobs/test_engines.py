"""What goes through a broker: after the commit, the key of the job, into its lane, and nothing else."""

from __future__ import annotations

from typing import Any

import redis
from django.db import transaction
from django.test import override_settings
from kombu.simple import SimpleQueue

from tests.case import CommittedTestCase
from tests.workbench.jobs.made import fresh, waiting_job
from tests.workbench.jobs.worker.harness import (
    OnRedis,
    engine_in_force,
    point_celery_at,
)
from workbench.jobs import engines
from workbench.jobs.engines import celery as on_celery
from workbench.jobs.engines import rq as on_rq
from workbench.jobs.models import Job
from workbench.jobs.worker.executor import Config

NOWHERE = "redis://127.0.0.1:1/0"


class FakeExecutor:
    """Stands at the border of the process: notes what it is asked to look for."""

    over = False
    config = Config("w", ["interactive"], ["lean:4.29.1"], -1, -1)

    def __init__(self) -> None:
        self.asked: list[tuple[Any, Any]] = []

    def look(self, queues: Any = None, needs: Any = None) -> bool:
        self.asked.append((queues, needs))
        return False


class RqTest(OnRedis, CommittedTestCase):
    def setUp(self) -> None:
        super().setUp()
        self.enterContext(engine_in_force("rq", self.redis))

    def deliver(self, executor: FakeExecutor) -> None:
        on_rq._executor = executor  # type: ignore[assignment]  # the double
        self.addCleanup(setattr, on_rq, "_executor", None)
        worker = on_rq._signed_on(executor)  # type: ignore[arg-type]  # the double
        self.addCleanup(on_rq._sign_off, worker)
        while worker.next():
            pass

    def test_a_message_carries_the_key_and_has_a_worker_look_into_its_lane(
        self,
    ) -> None:
        job, needy = waiting_job(), waiting_job("sample-needy")
        executor = FakeExecutor()
        self.assertEqual(engines.engine().state(), ("ok", "Redis answers; 2 messages wait in it"))  # fmt: skip
        sent = on_rq.Queue("interactive", connection=on_rq.broker()).jobs
        self.assertEqual([one.args for one in sent], [(job.pk, "interactive")])
        self.deliver(executor)
        self.assertCountEqual(
            executor.asked,
            [(["interactive"], [""]), (["interactive"], ["lean:4.29.1"])],
        )
        self.assertEqual(fresh(needy).state, Job.QUEUED)

    def test_nothing_is_sent_before_the_commit(self) -> None:
        with transaction.atomic():
            waiting_job()
            self.assertEqual(redis.Redis.from_url(self.redis).keys("rq:queue:*"), [])
        self.assertEqual(
            redis.Redis.from_url(self.redis).keys("rq:queue:*"),
            [b"rq:queue:interactive"],
        )

    def test_a_job_is_submitted_though_redis_is_away(self) -> None:
        with (
            engine_in_force_at_nowhere("rq"),
            self.assertLogs("workbench.jobs.engines.rq", "WARNING"),
        ):
            self.assertEqual(fresh(waiting_job()).state, Job.QUEUED)
            state = engines.engine().state()
        assert state is not None
        self.assertEqual(state[0], "warn")


class CeleryTest(OnRedis, CommittedTestCase):
    def setUp(self) -> None:
        super().setUp()
        self.enterContext(engine_in_force("celery", self.redis))

    def test_a_message_carries_the_key_and_has_a_worker_look_into_its_lane(
        self,
    ) -> None:
        needy = waiting_job("sample-needy")
        with on_celery.app.connection_for_read() as connection:
            queue = SimpleQueue(connection, "interactive+lean:4.29.1")
            message = queue.get(timeout=10)
            message.ack()
        self.assertEqual(message.payload[0], [needy.pk, "interactive+lean:4.29.1"])
        executor = FakeExecutor()
        on_celery._executor = executor  # type: ignore[assignment]  # the double
        self.addCleanup(setattr, on_celery, "_executor", None)
        on_celery.deliver(*message.payload[0])
        self.assertEqual(executor.asked, [(["interactive"], ["lean:4.29.1"])])

    def test_a_job_is_submitted_though_the_broker_is_away(self) -> None:
        self.assertEqual(engines.engine().state(), ("ok", "the broker answers"))
        with (
            engine_in_force_at_nowhere("celery"),
            self.assertLogs("workbench.jobs.engines.celery", "WARNING"),
        ):
            self.assertEqual(fresh(waiting_job()).state, Job.QUEUED)


def engine_in_force_at_nowhere(engine: str) -> Any:
    """Have `engine` in force with a Redis that does not answer."""
    if engine == "rq":
        on_rq.broker.cache_clear()
    else:
        point_celery_at(NOWHERE)
    return override_settings(REDIS_URL=NOWHERE, CELERY_BROKER_URL=NOWHERE)
