"""The worker: keeps a number of executors busy, and kills and replaces those that hang, overrun, are cancelled or crash.

It runs no job itself and touches no database from its main thread (clerk.py does), so neither a job nor a database
that hangs can stop it from killing.
"""

from __future__ import annotations

import logging
import os
import selectors
import signal
import time
from collections import deque
from dataclasses import dataclass
from functools import partial
from types import FrameType

from workbench.jobs import endings
from workbench.jobs.doorbell import Nudge
from workbench.jobs.models import Job
from workbench.jobs.scratch import drop_abandoned
from workbench.jobs.worker.clerk import Clerk
from workbench.jobs.worker.processes import become_subreaper, kill_below
from workbench.jobs.worker.registration import Registration
from workbench.jobs.worker.slot import Slot

log = logging.getLogger(__name__)
TICK_S = 0.5
CANCEL_GRACE_S, LOST_GRACE_S = 2.0, 1.0
CLOSE_S = 10.0


@dataclass(frozen=True)
class Order:
    """What the clerk wants done: look for work, or stop a job."""

    job: int = 0
    lease: str = ""
    why: str = "work"


class Supervisor:
    """`stop_grace_s` is how long running jobs may go on after a request to stop; then they are handed back."""

    def __init__(
        self,
        registration: Registration,
        *,
        once: bool = False,
        stop_grace_s: float = 6.0,
    ) -> None:
        self._registration = registration
        self._once, self._stop_grace_s = once, stop_grace_s
        self._nudge = Nudge()
        self._orders: deque[Order] = deque()
        self._slots: list[Slot] = []
        self._signals = 0
        self._stop_at: float | None = None
        self._clerk = Clerk(
            registration,
            lambda: self._order(Order()),
            lambda *told: self._order(Order(*told)),
        )

    def run(self) -> None:
        """Work until a signal says to stop (or, with `once`, until nothing waits that we can do)."""
        become_subreaper()
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._signalled)
        signal.signal(signal.SIGCHLD, lambda *_: self._nudge())
        self._clerk.start()
        self._slots = [
            Slot(self._registration) for _ in range(self._registration.processes)
        ]
        try:
            with selectors.DefaultSelector() as selector:
                selector.register(self._nudge.reader, selectors.EVENT_READ)
                while self._turn(selector):
                    pass
        finally:
            for slot in self._slots:
                self._kill(slot, "its worker ended", counted=False)
            self._clerk.close(CLOSE_S)

    def _signalled(self, _number: int, _frame: FrameType | None) -> None:
        self._signals += 1
        self._nudge()

    def _order(self, order: Order) -> None:
        self._orders.append(order)
        self._nudge()

    def _turn(self, selector: selectors.BaseSelector) -> bool:
        """Wait for something to happen and deal with it; return whether to go on."""
        for slot in self._slots:
            if slot.may_start():
                slot.start()
                selector.register(slot.hears, selectors.EVENT_READ, slot)
        for key, _ in selector.select(self._patience()):
            if isinstance(key.data, Slot):
                self._hear(key.data, selector)
        self._nudge.clear()
        self._deal_with_orders()
        now = time.monotonic()
        for slot in self._slots:
            self._watch(slot, selector, now)
        return self._go_on(now)

    def _patience(self) -> float:
        now = time.monotonic()
        moments = [slot.kill_at for slot in self._slots if slot.kill_at is not None]
        return max(0.0, min([TICK_S, *(moment - now for moment in moments)]))

    def _hear(self, slot: Slot, selector: selectors.BaseSelector) -> None:
        messages = slot.read()
        if messages is None:
            selector.unregister(slot.hears)
            return
        for message in messages:
            if "job" in message:
                slot.begin(message["job"], message["lease"], message["limit_s"])
                self._clerk.began(slot.job, slot.lease)
            elif "ended" in message:
                if message["unsettled"]:
                    self._settle(
                        slot,
                        "the database was out of reach when it ended",
                        counted=True,
                    )
                else:
                    self._clerk.ended(slot.job, slot.lease)
                slot.end()
            else:
                slot.idle = True

    def _deal_with_orders(self) -> None:
        while self._orders:
            order = self._orders.popleft()
            for slot in self._slots:
                if order.why == "work":
                    if not slot.job:
                        slot.say("wake")
                elif slot.job == order.job and slot.lease == order.lease:
                    grace = CANCEL_GRACE_S if order.why == "cancelled" else LOST_GRACE_S
                    slot.stop(order.why, grace)

    def _watch(self, slot: Slot, selector: selectors.BaseSelector, now: float) -> None:
        """Kill what is over its time; clear up after an executor that ended."""
        if slot.process is None:
            return
        if slot.kill_at is not None and now >= slot.kill_at:
            self._forget_pipe(slot, selector)
            self._kill(slot, "")
        elif (code := slot.process.poll()) is not None:
            self._hear_last(slot, selector)
            how = (
                f"was killed by signal {-code}"
                if code < 0
                else f"ended with code {code}"
            )
            if slot.job:
                log.warning("the executor of job %s %s", slot.job, how)
            self._kill(slot, f"its process {how}")

    def _hear_last(self, slot: Slot, selector: selectors.BaseSelector) -> None:
        if slot.hears in selector.get_map():
            self._hear(slot, selector)
        self._forget_pipe(slot, selector)

    def _forget_pipe(self, slot: Slot, selector: selectors.BaseSelector) -> None:
        if slot.hears in selector.get_map():
            selector.unregister(slot.hears)

    def _kill(self, slot: Slot, reason: str, *, counted: bool = True) -> None:
        """Kill the executor with all that came of it, and have written what became of its job."""
        if slot.process is None:
            return
        slot.kill()
        kill_below(
            os.getpid(),
            spare=lambda: {s.process.pid for s in self._slots if s.process is not None},
        )
        drop_abandoned()
        if slot.job:
            self._settle(slot, reason, counted=counted)
        slot.end()

    def _settle(self, slot: Slot, reason: str, *, counted: bool) -> None:
        if slot.stopped_for == "lost":
            self._clerk.settle(slot.job, slot.lease, lambda job: False)
        elif slot.stopped_for == "limit":
            self._clerk.settle(
                slot.job, slot.lease, partial(_over_limit, limit_s=slot.limit_s)
            )
        elif slot.stopped_for == "cancelled":
            self._clerk.settle(slot.job, slot.lease, endings.cancelled)
        else:
            self._clerk.settle(
                slot.job,
                slot.lease,
                partial(_hand_back, reason=reason, counted=counted),
            )

    def _go_on(self, now: float) -> bool:
        if self._once and all(slot.idle and not slot.job for slot in self._slots):
            self._signals = max(self._signals, 1)
        if not self._signals:
            return True
        if self._stop_at is None:
            self._stop_at = now + self._stop_grace_s
            self._clerk.stopping()
            for slot in self._slots:
                slot.retire()
        alive = [slot for slot in self._slots if slot.process is not None]
        return bool(alive) and now < self._stop_at and self._signals < 2


def _over_limit(job: Job, limit_s: int) -> bool:
    return endings.fail(
        job,
        f"It ran longer than its limit of {limit_s} s and was stopped.",
        state=Job.DECLINED,
    )


def _hand_back(job: Job, reason: str, counted: bool) -> bool:
    return endings.hand_back(job, reason, counted=counted)
