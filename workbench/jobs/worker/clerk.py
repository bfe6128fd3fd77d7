"""The worker's books: the one thread of a supervisor that talks to the database.

It keeps leases and the worker's own row alive, returns what other workers lost, notices cancelled jobs and new work,
and writes how jobs ended whose executor could not. It survives a database that goes away and comes back.
"""

from __future__ import annotations

import logging
import shutil
import threading
import time
from collections import deque
from collections.abc import Callable
from contextlib import closing

from django.conf import settings
from django.db import DatabaseError, InterfaceError, connection, transaction
from django.utils import timezone

from workbench.jobs import reaper
from workbench.jobs.actions import submit
from workbench.jobs.doorbell import JOBS, Nudge, doorbell
from workbench.jobs.lease import extend, waiting, wanted_back
from workbench.jobs.models import Job
from workbench.jobs.run import scratch_folder
from workbench.jobs.worker.registration import Registration
from workbench.upkeep.disk import NoRoom

log = logging.getLogger(__name__)
BUSY_LOOK_S, IDLE_LOOK_S = 1.0, 2.0

Ending = Callable[[Job], bool]


class Clerk(threading.Thread):
    """`on_work()` and `on_stop(job, lease, "cancelled" | "lost")` are called from this thread; keep them short."""

    def __init__(
        self,
        registration: Registration,
        on_work: Callable[[], None],
        on_stop: Callable[[int, str, str], None],
    ) -> None:
        super().__init__(name="clerk", daemon=True)
        self._registration = registration
        self._on_work, self._on_stop = on_work, on_stop
        self._nudge = Nudge()
        self._lock = threading.Lock()
        self._leases: dict[int, str] = {}
        self._todo: deque[tuple[int, str, Ending]] = deque()
        self._closing = False
        self._next_beat = 0.0
        self._reap_from = 0.0
        self._tidied = ""
        self._lease_s = float(settings.JOB_LEASE_SECONDS)

    # ---- called by the supervisor

    def began(self, job: int, lease: str) -> None:
        """Keep the lease of `job` alive from now on."""
        with self._lock:
            self._leases[job] = lease

    def ended(self, job: int, lease: str) -> None:
        """Let go of the lease of `job`: its executor has written how it ended."""
        with self._lock:
            if self._leases.get(job) == lease:
                del self._leases[job]

    def settle(self, job: int, lease: str, ending: Ending) -> None:
        """Write, as soon as the database can be reached, how `job` ended under `lease`; remove its scratch folder."""
        self._todo.append((job, lease, ending))
        self._nudge()

    def stopping(self) -> None:
        """Say on the worker's row that it takes no more jobs."""
        self._registration.stopping = True
        self._next_beat = 0.0
        self._nudge()

    def close(self, seconds: float) -> None:
        """Write what is left to write, sign off and end the thread; give up after `seconds`."""
        self._closing = True
        self._nudge()
        self.join(seconds)

    # ---- the thread

    def run(self) -> None:
        pause = 0.2
        while True:
            try:
                with closing(doorbell(self._nudge, [JOBS])) as bell:
                    pause = 0.2
                    while not self._closing:
                        bell.wait(self._turn())
                    self._settle_all()
                    self._registration.sign_off()
                break
            except (DatabaseError, InterfaceError, OSError) as error:
                log.warning("the database is out of reach: %s", str(error).strip())
            except Exception:
                log.exception("the clerk stumbled")
            connection.close()
            # Others could not extend their leases either: give them the time of one lease before taking any away.
            self._reap_from = time.monotonic() + self._lease_s
            if self._closing and not self._todo:
                break
            time.sleep(pause)
            pause = min(pause * 2, 5.0)
        connection.close()

    def _turn(self) -> float:
        """Do what is due and return for how many seconds to wait."""
        self._settle_all()
        with self._lock:
            leases = dict(self._leases)
        now = time.monotonic()
        if now >= self._next_beat:
            self._next_beat = now + self._lease_s / 3
            self._registration.beat()
            if leases:
                extend(leases)
            if now >= self._reap_from:
                reaper.reap()
            self._tidy_daily()
        if leases:
            for job, why in wanted_back(leases).items():
                self._on_stop(job, leases[job], why)
        if waiting().exists():
            self._on_work()
        return min(BUSY_LOOK_S if leases else IDLE_LOOK_S, self._lease_s / 3)

    def _tidy_daily(self) -> None:
        """Have somebody clean up today, unless that was asked for already: the key is that of the day."""
        today = f"clean-up {timezone.now():%Y-%m-%d}"
        if settings.CLEAN_UP and today != self._tidied:
            try:
                submit("clean-up", owner=None, key=today)
            except NoRoom:  # then it is wanted most: the command still works
                log.warning("no room for a clean-up job; run bin/workbench clean-up")
            self._tidied = today

    def _settle_all(self) -> None:
        while self._todo:
            pk, lease, ending = self._todo[0]
            with transaction.atomic():
                job = Job.objects.filter(pk=pk, lease=lease, state=Job.RUNNING).first()
                if job is not None:
                    ending(job)
            shutil.rmtree(scratch_folder(pk, lease), ignore_errors=True)
            self._todo.popleft()
            self.ended(pk, lease)
