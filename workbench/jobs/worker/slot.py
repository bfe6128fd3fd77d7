"""The place of one executor in a supervisor: its process, its pipes, and what it is working on."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from typing import Any

from django.conf import settings

from workbench.jobs.worker.executor import Config
from workbench.jobs.worker.processes import MARK, mark
from workbench.jobs.worker.registration import Registration

QUICK_DEATH_S, LONGEST_PAUSE_S = 5.0, 30.0
_REAP_S = 5.0


class Slot:
    """Only the supervisor's main thread touches it."""

    def __init__(self, registration: Registration) -> None:
        self._registration = registration
        self.process: subprocess.Popen[bytes] | None = None
        self.hears = self._says = -1
        self._rest = b""
        self._retired = False
        self._started_at = self._start_from = 0.0
        self._pause = 0.5
        self.idle = False
        self.job, self.lease, self.limit_s = 0, "", 0
        self.kill_at: float | None = None
        self.stopped_for = ""

    def may_start(self) -> bool:
        """Return whether an executor is missing here and it is time to start one."""
        return (
            self.process is None
            and not self._retired
            and time.monotonic() >= self._start_from
        )

    def start(self) -> None:
        """Start an executor in a session of its own."""
        hear, self._says = os.pipe()
        self.hears, say = os.pipe()
        os.set_blocking(self._says, False)
        os.set_blocking(self.hears, False)
        config = Config(
            worker=self._registration.name,
            queues=self._registration.queues,
            offers=sorted(self._registration.offers),
            hear=hear,
            say=say,
        )
        script = settings.BASE_DIR / "bin" / "run.py"
        try:
            self.process = subprocess.Popen(  # noqa: S603  # our own script
                [
                    sys.executable,
                    script,
                    "workbench.jobs.worker.executor",
                    config.to_json(),
                ],
                stdin=subprocess.DEVNULL,
                pass_fds=(hear, say),
                start_new_session=True,
                env={**os.environ, MARK: mark()},
            )
        finally:
            os.close(hear)
            os.close(say)
        self._rest, self.idle = b"", False
        self._started_at = time.monotonic()

    def read(self) -> list[dict[str, Any]] | None:
        """Return what the executor said since; None when it has hung up."""
        try:
            heard = os.read(self.hears, 65536)
        except BlockingIOError:
            return []
        if not heard:
            return None
        *lines, self._rest = (self._rest + heard).split(b"\n")
        return [json.loads(line) for line in lines]

    def say(self, line: str) -> None:
        """Tell the executor `line`; one that has hung up or does not listen hears nothing."""
        if self.process is None:
            return
        try:
            os.write(self._says, line.encode() + b"\n")
        except (BrokenPipeError, BlockingIOError):
            return
        self.idle = False

    def begin(self, job: int, lease: str, limit_s: int) -> None:
        """Note that the executor works on `job`."""
        self.job, self.lease, self.limit_s = job, lease, limit_s
        self.idle, self.stopped_for = False, ""
        self.kill_at = time.monotonic() + limit_s
        self._pause = 0.5

    @property
    def overdue_reason(self) -> str:
        return self.stopped_for or "limit"

    def stop(self, why: str, grace_s: float) -> None:
        """Ask the executor to stop its job because it is `why`; it is killed after `grace_s`."""
        if self.stopped_for:
            return
        self.stopped_for = why
        self.say(f"{why} {self.job}")
        self.kill_at = min(self.kill_at or float("inf"), time.monotonic() + grace_s)

    def end(self) -> None:
        """Note that the executor works on nothing."""
        self.job, self.lease, self.limit_s = 0, "", 0
        self.kill_at, self.stopped_for = None, ""

    def retire(self) -> None:
        """Let the executor end after its present job, and start no other."""
        self._retired = True
        self.say("stop")

    def kill(self) -> None:
        """Kill the executor's process, if it still runs, and let go of it."""
        if self.process is None:
            return
        if self.kill_at is not None and time.monotonic() >= self.kill_at:
            self.stopped_for = self.overdue_reason
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGKILL)
            try:
                self.process.wait(_REAP_S)
            except (
                subprocess.TimeoutExpired
            ):  # stuck in the kernel; it is reaped when it gets out
                pass
        os.close(self.hears)
        os.close(self._says)
        if time.monotonic() - self._started_at < QUICK_DEATH_S and not self.job:
            self._pause = min(self._pause * 2, LONGEST_PAUSE_S)
            self._start_from = time.monotonic() + self._pause
        self.process, self.hears, self._says, self.idle = None, -1, -1, False
