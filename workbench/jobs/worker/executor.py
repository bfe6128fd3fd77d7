"""One executor: a process that claims jobs and runs them, one after the other, for a supervisor.

Started as `bin/run.py workbench.jobs.worker.executor CONFIG`. It speaks with the supervisor over two pipes, in lines:
it says `{"job": …, "lease": …, "limit_s": …}` when it begins a job and `{"idle": true}` when it finds none; it hears
`wake`, `stop`, `cancelled JOB` and `lost JOB`. When the supervisor is gone, it kills what its job started, and itself.
"""

from __future__ import annotations

import json
import logging
import os
import resource
import signal
import threading
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import django

from workbench.jobs.worker.processes import become_subreaper, kill_below

log = logging.getLogger(__name__)
LONGEST_PAUSE_S = 5.0
NEEDS_KEPT_FOR_S = 5.0
RECYCLE_ABOVE_KIB = 1024 * 1024


@dataclass(frozen=True)
class Config:
    """What an executor is told at its start."""

    worker: str
    queues: list[str]
    offers: list[str]
    hear: int
    say: int

    def to_json(self) -> str:
        return json.dumps(asdict(self))


class Supervised:
    """The executor's side of the pipes."""

    def __init__(self, config: Config) -> None:
        self._hear, self._say = config.hear, config.say
        for pipe in (self._hear, self._say):
            os.set_inheritable(pipe, False)
        self._rung = threading.Event()
        self._stops: dict[int, str] = {}
        self.stopping = False

    def listen(self) -> None:
        """Hear the supervisor from now on, in a thread."""
        threading.Thread(target=self._listen, name="supervisor", daemon=True).start()

    def _listen(self) -> None:
        rest = b""
        while heard := os.read(self._hear, 4096):
            *lines, rest = (rest + heard).split(b"\n")
            for line in lines:
                self._heard(line.decode())
        kill_below(os.getpid())
        os.kill(os.getpid(), signal.SIGKILL)

    def _heard(self, line: str) -> None:
        word, _, job = line.partition(" ")
        if word == "stop":
            self.stopping = True
        elif job:
            self._stops[int(job)] = word
        self._rung.set()

    def say(self, **message: Any) -> None:
        os.write(self._say, json.dumps(message).encode() + b"\n")

    def stop_asked(self, job: int) -> str:
        """Return "cancelled" or "lost" if `job` is to stop, else ""."""
        return self._stops.get(job, "")

    def forget(self, job: int) -> None:
        self._stops.pop(job, None)

    def wait(self, seconds: float) -> None:
        """Wait until the supervisor says something, at most `seconds`."""
        self._rung.wait(seconds)

    def mute(self) -> None:
        """Forget that it rang, before looking for work."""
        self._rung.clear()


class Executor:
    """What an engine's `work` drives: it claims jobs and runs them."""

    def __init__(self, config: Config, supervised: Supervised) -> None:
        from workbench.jobs.declared import declared_names

        self.config = config
        self._supervised = supervised
        self._names = declared_names()
        self._needs: list[str] = [""]
        self._needs_until = 0.0
        self._home = os.getcwd()
        self._pause = 0.2
        self._trouble = ""

    @property
    def over(self) -> bool:
        """Whether to take no more jobs: told to stop, or grown too large (the supervisor starts another one)."""
        return (
            self._supervised.stopping
            or resource.getrusage(resource.RUSAGE_SELF).ru_maxrss > RECYCLE_ABOVE_KIB
        )

    def say_idle(self) -> None:
        """Tell the supervisor that nothing waits that we can do."""
        self._supervised.say(idle=True)

    def wait(self, seconds: float) -> None:
        """Wait until the supervisor says something, at most `seconds`."""
        self._supervised.wait(seconds)

    def mute(self) -> None:
        """Forget that the supervisor said something, before looking for work."""
        self._supervised.mute()

    def look(
        self, queues: Sequence[str] | None = None, needs: Sequence[str] | None = None
    ) -> bool:
        """Claim and run the most urgent job, of `queues` and with one of `needs` where they are given.

        Returns whether to look again at once: there was a job, or the database was out of reach.
        """
        from django.db import InterfaceError, OperationalError, connection

        from workbench.upkeep import disk

        if words := disk.obstacle():
            if words != self._trouble:
                log.warning("no new job is begun: %s", words)
            self._trouble = words
            return False
        self._trouble = ""
        try:
            worked = self._one(queues, needs)
            self._pause = 0.2
        except (OperationalError, InterfaceError) as error:
            log.warning("the database is out of reach: %s", str(error).strip())
            connection.close()
            time.sleep(self._pause)
            self._pause = min(self._pause * 2, LONGEST_PAUSE_S)
            return True
        if worked:
            os.chdir(self._home)
            kill_below(os.getpid())
        return worked

    def _one(self, queues: Sequence[str] | None, needs: Sequence[str] | None) -> bool:
        """Claim and run one job; return whether there was one."""
        from workbench.jobs.perform import perform
        from workbench.jobs.statements import claim

        job = claim(
            self.config.worker,
            queues=self.config.queues if queues is None else queues,
            names=self._names,
            needs=self._needs_met() if needs is None else needs,
        )
        if job is None:
            return needs is None and self._needs_changed()
        self._supervised.say(job=job.pk, lease=job.lease, limit_s=job.limit_s)
        unsettled = True
        try:
            perform(job, lambda: self._supervised.stop_asked(job.pk))
            unsettled = False
        finally:
            self._supervised.say(ended=job.pk, unsettled=unsettled)
            self._supervised.forget(job.pk)
        return True

    def _needs_met(self) -> list[str]:
        if time.monotonic() > self._needs_until:
            self._needs_changed()
        return self._needs

    def _needs_changed(self) -> bool:
        """Look which needs waiting jobs have that we meet; return whether that is news, so that it pays to look again."""
        from workbench.jobs.lease import needs_met_by

        before, self._needs = self._needs, needs_met_by(self.config.offers)
        self._needs_until = time.monotonic() + NEEDS_KEPT_FOR_S
        return bool(set(self._needs) - set(before))


def without_pool() -> None:
    """Give this process one plain database connection a thread, kept open: a pool's threads serve nobody here."""
    from django.db import connection

    connection.settings_dict.get("OPTIONS", {}).pop("pool", None)
    connection.settings_dict["CONN_MAX_AGE"] = None


def main(arguments: Sequence[str]) -> int:
    """Run an executor with the JSON of a `Config`; return the exit code."""
    config = Config(**json.loads(arguments[0]))
    become_subreaper()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    supervised = Supervised(config)
    supervised.listen()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "workbench.settings")
    django.setup()
    without_pool()
    from workbench.jobs.engines import engine
    from workbench.jobs.scratch import own_scratch

    # What a job leaves in temporary files goes with this process, however it ends.
    with own_scratch():
        engine().work(Executor(config, supervised))
        kill_below(os.getpid())
    return 0
