"""The same work on the engines that have a broker, with a real Redis."""

from __future__ import annotations

from tests.workbench.jobs.worker import test_worker
from tests.workbench.jobs.worker.harness import OnRedis


class WorkOnRqTest(OnRedis, test_worker.WorkTest):
    engine = "rq"


class WorkOnCeleryTest(OnRedis, test_worker.WorkTest):
    engine = "celery"
