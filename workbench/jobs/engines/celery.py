"""The engine on Celery: messages go through its broker, Redis or RabbitMQ.

`bin/workbench worker` runs Celery's workers in its executors. A plain `celery -A workbench worker` works as well, more
slowly (alone.py).
"""

from __future__ import annotations

import logging
import os
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from celery import bootsteps
from celery.worker import WorkController
from celery.worker import state as celery_state
from django.db import transaction
from kombu.exceptions import OperationalError

from workbench.celery import app
from workbench.jobs.engines.lanes import IN_THE_MEANTIME, lane, lanes, served
from workbench.jobs.models import Job
from workbench.jobs.worker import alone

if TYPE_CHECKING:
    from workbench.jobs.worker.executor import Executor

log = logging.getLogger(__name__)
LOOKS_EVERY_S: Final = 5.0
CHECKS_EVERY_S: Final = 0.5
ANSWERS_WITHIN_S: Final = 3
_executor: Executor | None = None


def announce(job: Job) -> None:
    """Put the key of `job` into its lane when the transaction commits."""
    transaction.on_commit(partial(_send, job.pk, lane(job.queue, job.needs)))


def _send(pk: int, name: str) -> None:
    try:
        deliver.apply_async((pk, name), queue=name, retry=False)
    except (OperationalError, OSError) as error:
        log.warning(
            "the broker is out of reach (%s); job %s waits until a worker looks",
            error,
            pk,
        )


def state() -> tuple[str, str]:
    """Return whether the broker answers."""
    try:
        with app.connection_for_write() as connection:
            connection.ensure_connection(max_retries=1, timeout=ANSWERS_WITHIN_S)
    except (OperationalError, OSError) as error:
        return ("warn", f"the broker is out of reach ({error}); {IN_THE_MEANTIME}")
    return ("ok", "the broker answers")


@app.task(name="workbench.deliver", ignore_result=True)
def deliver(pk: int, name: str) -> None:
    """Run one job of the lane `name`, into which job `pk` was put. What Celery calls."""
    queue, needs = served(name)
    if _executor is None:
        alone.run(pk)
    else:
        _executor.look([queue], [needs])


class Looks(bootsteps.StartStopStep):
    """Looks into the database every few seconds for what the broker lost, and ends the worker when it is told to."""

    requires = ("celery.worker.consumer.tasks:Tasks",)

    def __init__(self, parent: Any, **options: Any) -> None:
        super().__init__(parent, **options)
        self._timers: list[Any] = []

    def start(self, parent: Any) -> None:
        self._timers = [
            parent.timer.call_repeatedly(LOOKS_EVERY_S, _look),
            parent.timer.call_repeatedly(CHECKS_EVERY_S, _end_when_told),
        ]
        parent.timer.call_after(0.0, _look)

    def stop(self, parent: Any) -> None:
        for timer in self._timers:
            timer.cancel()


def _look() -> None:
    assert _executor is not None
    if not _executor.over and not _executor.look():
        _executor.say_idle()


def _end_when_told() -> None:
    if _executor is not None and _executor.over:
        celery_state.should_stop = 0


def work(executor: Executor) -> None:
    """Run what the broker brings, one message at a time."""
    global _executor
    _executor = executor
    app.steps["consumer"].add(Looks)
    worker = WorkController(
        app=app,
        hostname=f"{executor.config.worker}.{os.getpid()}",
        pool_cls="solo",
        queues=lanes(executor.config.queues, executor.config.offers),
        without_mingle=True,
        without_gossip=True,
        without_heartbeat=True,
    )
    worker.start()
