"""What a running job is given: a way to say how far it is, to log, and to publish its result."""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import OperationalError, transaction

from workbench.jobs import endings
from workbench.jobs.interrupts import JobCancelled, LeaseLost
from workbench.jobs.lease import held, hold, printable, tell
from workbench.jobs.models import Job, JobEvent

WRITES_EVERY_S = 0.25
LOG_LINES, LOG_LINE_CHARACTERS = 2000, 4000
# Of one attempt, all lines together: what a page and a download may have to carry.
LOG_CHARACTERS = 1_000_000


def no_stop() -> str:
    """The stop signal of a job that runs outside a worker: there is none."""
    return ""


@dataclass(frozen=True)
class Given:
    """What a job said in finishing; `result` is JSON text, or ""."""

    result: str
    summary: str
    link: str


class Finish:
    """Called inside `JobRun.finishing` to say what came out."""

    def __init__(self) -> None:
        self.given: Given | None = None

    def __call__(
        self, *, result: Any = None, summary: str = "", link: str = ""
    ) -> None:
        """`result` is a JSON document, `summary` one sentence for people, `link` the page that shows the result."""
        if self.given is not None:
            raise RuntimeError("finish was called twice.")
        text = "" if result is None else json.dumps(result, allow_nan=False)
        self.given = Given(text, summary, link)


class JobRun:
    """One attempt at one job. `stop_asked` returns "cancelled" or "lost" once the worker has been told to stop it."""

    def __init__(self, job: Job, stop_asked: Callable[[], str] = no_stop) -> None:
        self.job = job
        self.finished = False
        self._stop_asked = stop_asked
        self._finishing = False
        self._next_write = 0.0
        self._untold: dict[str, Any] = {}
        self._lines = self._characters = 0
        self._log_is_full = False
        self._scratch: Path | None = None

    @property
    def attempt(self) -> int:
        return self.job.attempt

    def check(self) -> None:
        """Raise `JobCancelled` or `LeaseLost` if the worker was told to stop this job. Costs next to nothing."""
        asked = self._stop_asked()
        if asked == "cancelled":
            raise JobCancelled
        if asked:
            raise LeaseLost

    def progress(self, done: int, total: int = 0, doing: str = "") -> None:
        """Say that `done` of `total` steps are done (0: nobody knows) and which one is worked on.

        Call it as often as you like: it writes a few times a second, and with the next line of the log. What it writes also proves the lease. Raises
        `JobCancelled` or `LeaseLost`. Inside `finishing` it writes nothing, as nobody could see it.
        """
        self.check()
        now = time.monotonic()
        doing = printable(doing)[:300]
        if self._finishing or (now < self._next_write and not 0 < total == done):
            self._untold = {"done": done, "total": total, "doing": doing}
            return
        self._next_write, self._untold = now + WRITES_EVERY_S, {}
        try:
            with transaction.atomic():
                self._hold(done=done, total=total, doing=doing)
                tell(self.job, JobEvent.PROGRESS, doing)
        except OperationalError as error:
            # On SQLite somebody may write for very long; a step that is not shown is no reason to begin anew.
            if "locked" not in str(error):
                raise
            return
        self.job.done, self.job.total, self.job.doing = done, total, doing

    def log(self, text: str) -> None:
        """Add a line to the log that the job's page shows. Raises as `progress`. A log that is too long is cut."""
        self.check()
        if self._log_is_full:
            return
        text = text[:LOG_LINE_CHARACTERS]
        self._characters += len(text)
        if self._lines == LOG_LINES or self._characters > LOG_CHARACTERS:
            self._log_is_full = True
            text = f"The log is cut here, after {self._lines:,} lines."
        self._lines += 1
        # With what `progress` was too quick to write: the step that takes long is often told right after a short one.
        untold, self._untold = self._untold, {}
        with transaction.atomic():
            self._hold(**untold)
            tell(self.job, JobEvent.LOG, text)

    @contextmanager
    def finishing(self) -> Iterator[Finish]:
        """The transaction in which the result becomes true: what is written inside commits with the job's end, or not at all.

        Inside, call the yielded `finish(result=…, summary=…, link=…)`. Raises `JobCancelled` or `LeaseLost` before
        anything is written. It holds the job's row (on SQLite: the database), so prepare outside and write inside.
        """
        if self.finished:
            raise RuntimeError("A job finishes once.")
        self.check()
        finish = Finish()
        try:
            with transaction.atomic():
                self._hold()
                self._finishing = True
                yield finish
                if finish.given is None:
                    raise RuntimeError(
                        "finish(…) was not called inside run.finishing()."
                    )
                given = finish.given
                if not endings.finish(
                    self.job,
                    result=given.result,
                    summary=given.summary,
                    link=given.link,
                ):
                    raise LeaseLost
        finally:
            self._finishing = False
        self.finished = True

    def finish_empty(self) -> None:
        """End the job as done without a result, for a function that returned without finishing."""
        with transaction.atomic():
            if not endings.finish(
                self.job, result="", summary="", link="", unless_cancelled=True
            ):
                self._say_why()
        self.finished = True

    def scratch(self) -> Path:
        """Return an empty folder of this attempt, removed when the attempt ends, however it ends."""
        if self._scratch is None:
            self._scratch = scratch_folder(self.job.pk, self.job.lease)
            self._scratch.mkdir(parents=True, mode=0o700)
        return self._scratch

    def close(self) -> None:
        """Remove the scratch folder."""
        if self._scratch is not None:
            shutil.rmtree(self._scratch, ignore_errors=True)

    def _hold(self, **changes: Any) -> None:
        if not hold(self.job, **changes):
            self._say_why()

    def _say_why(self) -> None:
        if held(self.job).filter(cancel_requested=True).exists():
            raise JobCancelled
        raise LeaseLost


def scratch_root() -> Path:
    """Return the folder that holds the scratch folders of all jobs."""
    return Path(settings.DATA_DIR) / "scratch"


def scratch_folder(job: int, lease: str) -> Path:
    """Return where the attempt at `job` under `lease` keeps its scratch files."""
    return scratch_root() / f"job-{job}-{lease[:12]}"
