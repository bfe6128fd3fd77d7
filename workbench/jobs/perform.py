"""Run one claimed job to its end, in this process."""

from __future__ import annotations

import logging
import traceback
from collections.abc import Callable
from functools import partial

from django.db import InterfaceError, OperationalError, connection, transaction

from workbench.events.correlation import correlated
from workbench.jobs import endings
from workbench.jobs.declared import QUEUES, declaration, declared_names
from workbench.jobs.interrupts import JobCancelled, JobDeclined, JobFailed, LeaseLost
from workbench.jobs.lease import needs_met_by, printable
from workbench.jobs.models import Job
from workbench.jobs.run import JobRun, no_stop
from workbench.jobs.statements import claim

log = logging.getLogger(__name__)


def perform(job: Job, stop_asked: Callable[[], str] = no_stop) -> None:
    """Run `job`, which is leased to us, and write how it ended. Raises only if the database cannot be reached."""
    run = JobRun(job, stop_asked)
    try:
        with correlated(job.correlation):
            kind = declaration(job.name)
            kind.perform(run, **job.arguments)
            if not run.finished:
                run.finish_empty()
    except LeaseLost:
        log.warning("%s was taken away from this worker; it writes nothing", job)
    except JobCancelled:
        _write(partial(endings.cancelled, job))
    except JobFailed as error:
        _write(partial(endings.fail, job, str(error)))
    except JobDeclined as error:
        _write(partial(endings.fail, job, str(error), state=Job.DECLINED))
    except (OperationalError, InterfaceError) as error:
        reason = f"the database was out of reach ({str(error).strip().splitlines()[0] if str(error) else 'closed'})"
        connection.close()
        _write(partial(endings.hand_back, job, reason))
    except (
        BaseException
    ) as error:  # SystemExit too: whatever the job does, its end is told
        words, trace = f"{type(error).__name__}: {error}", traceback.format_exc()
        if run.finished:
            log.exception("%s raised after it had finished", job)
        else:
            log.warning("%s failed: %s", job, printable(words))
            _write(partial(endings.fail, job, words, trace=trace))
    finally:
        run.close()


def _write(ending: Callable[[], bool]) -> None:
    with transaction.atomic():
        ending()


def run_waiting(offers: frozenset[str] = frozenset(), worker: str = "here") -> int:
    """Run every waiting job whose needs `offers` meet, here and now, and return how many. For tests and scripts."""
    count = 0
    while True:
        job = claim(
            worker,
            queues=list(QUEUES),
            names=declared_names(),
            needs=needs_met_by(offers),
        )
        if job is None:
            return count
        perform(job)
        count += 1
