"""The engine on RQ: messages go through Redis, and django-rq's pages show them.

`bin/workbench worker` runs RQ's workers in its executors. A plain `rqworker` works as well, more slowly (alone.py).
"""

from __future__ import annotations

import logging
import os
import time
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any, Final

import redis
from django.conf import settings
from django.db import transaction
from redis.backoff import NoBackoff
from redis.retry import Retry
from rq import Queue, SimpleWorker
from rq.timeouts import BaseDeathPenalty
from rq.utils import now as rq_now
from rq.worker import WorkerStatus

from workbench.jobs.engines.lanes import IN_THE_MEANTIME, lane, lanes, served
from workbench.jobs.models import Job
from workbench.jobs.worker import alone

if TYPE_CHECKING:
    from workbench.jobs.worker.executor import Executor

log = logging.getLogger(__name__)
FAILED_KEPT_S: Final = 7 * 24 * 3600
ANSWERS_WITHIN_S: Final = 3
LISTENS_S: Final = 1
LOOKS_EVERY_S: Final = 5.0
TENDS_EVERY_S: Final = 60.0
_executor: Executor | None = None


@lru_cache
def broker() -> redis.Redis:
    """Return this process's connection to Redis. It gives up quickly: nobody depends on it."""
    return redis.Redis.from_url(
        settings.REDIS_URL,
        socket_connect_timeout=ANSWERS_WITHIN_S,
        socket_timeout=ANSWERS_WITHIN_S,
        retry=Retry(NoBackoff(), 0),
    )


def announce(job: Job) -> None:
    """Put the key of `job` into its lane when the transaction commits."""
    transaction.on_commit(partial(_send, job.pk, lane(job.queue, job.needs), str(job)))


def _send(pk: int, name: str, words: str) -> None:
    try:
        Queue(name, connection=broker()).enqueue_call(
            deliver, (pk, name), timeout=-1, result_ttl=0, failure_ttl=FAILED_KEPT_S, description=words,
        )  # fmt: skip
    except (redis.RedisError, OSError) as error:
        log.warning(
            "Redis is out of reach (%s); job %s waits until a worker looks", error, pk
        )


def state() -> tuple[str, str]:
    """Return whether Redis answers, and how many messages wait."""
    try:
        count = sum(queue.count for queue in Queue.all(connection=broker()))
    except (redis.RedisError, OSError) as error:
        return ("warn", f"Redis is out of reach ({error}); {IN_THE_MEANTIME}")
    messages = "1 message waits" if count == 1 else f"{count:,} messages wait"
    return ("ok", f"Redis answers; {messages} in it")


def deliver(pk: int, name: str) -> None:
    """Run one job of the lane `name`, into which job `pk` was put. What RQ calls."""
    queue, needs = served(name)
    if _executor is None:
        alone.run(pk)
    else:
        _executor.look([queue], [needs])


class NoPenalty(BaseDeathPenalty):
    """Jobs have limits of their own, which the supervisor keeps."""

    def setup_death_penalty(self) -> None:
        pass

    def cancel_death_penalty(self) -> None:
        pass


class Deliveries(SimpleWorker):
    """RQ's worker without its loop and signals: the executor has its own."""

    death_penalty_class: Any = NoPenalty

    def next(self) -> bool:
        """Wait a second for a message and deal with it; return whether there was one. Raises errors of Redis."""
        self.heartbeat()
        try:
            found = self.queue_class.dequeue_any(
                self.queues, LISTENS_S, connection=self.connection
            )
        except Exception as error:
            if type(error).__name__ == "DequeueTimeout":
                return False
            raise
        if found is None:
            return False
        job, queue = found
        job.redis_server_version = self.get_redis_server_version()
        self.execute_job(job, queue)
        return True


def work(executor: Executor) -> None:
    """Run what Redis brings; look into the database every few seconds for what it lost."""
    global _executor
    _executor = executor
    worker: Deliveries | None = None
    look_from = tend_from = 0.0
    while not executor.over:
        busy = False
        if time.monotonic() >= look_from:
            look_from = time.monotonic() + LOOKS_EVERY_S
            busy = executor.look()
            if not busy:
                executor.say_idle()
        try:
            worker = worker or _signed_on(executor)
            if time.monotonic() >= tend_from:
                tend_from = time.monotonic() + TENDS_EVERY_S
                worker.run_maintenance_tasks()
            worker.next()
        except (redis.RedisError, OSError) as error:
            log.warning("Redis is out of reach: %s", error)
            worker = None
            look_from = 0.0 if busy else look_from
            executor.mute()
            executor.wait(LISTENS_S)
    _sign_off(worker)


def _signed_on(executor: Executor) -> Deliveries:
    names = lanes(executor.config.queues, executor.config.offers)
    worker = Deliveries(
        names,
        name=f"{executor.config.worker}.{os.getpid()}.{rq_now():%H%M%S%f}",
        connection=broker(),
    )
    worker.register_birth()
    worker.set_state(WorkerStatus.IDLE)
    return worker


def _sign_off(worker: Deliveries | None) -> None:
    if worker is not None:
        try:
            worker.register_death()
        except (redis.RedisError, OSError):
            pass  # RQ forgets it by itself after some minutes
