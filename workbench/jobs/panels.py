"""What other pages show of jobs: the home page, operations, and the checks of `bin/workbench doctor`."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.http import HttpRequest

from workbench.access.models import User
from workbench.access.rights import teams_with
from workbench.access.roles import MAINTAIN
from workbench.jobs.engines import engine
from workbench.jobs.models import Job
from workbench.jobs.selectors import (
    live_workers,
    queue_states,
    visible_jobs,
)
from workbench.jobs.troubled import Troubled
from workbench.ui.checks import BAD, OK, WARN, Answer

HOME_ROWS = 8


def home_jobs(request: HttpRequest) -> dict[str, Any] | None:
    """Return the open jobs that this person may see, and their own last ones. At most four queries."""
    if not isinstance(request.user, User):
        return None
    visible = visible_jobs(request.user).select_related("owner")
    rows = list(
        visible.filter(state__in=Job.OPEN).order_by("-state", "-pk")[:HOME_ROWS]
    )
    if len(rows) < HOME_ROWS:
        ended = visible.filter(owner=request.user).exclude(state__in=Job.OPEN)
        rows += ended.order_by("-pk")[: HOME_ROWS - len(rows)]
    return {"jobs": rows}


def running_jobs(request: HttpRequest) -> tuple[str, str] | None:
    """Say how many jobs run and wait. One query."""
    if not isinstance(request.user, User):
        return None
    states = list(
        visible_jobs(request.user)
        .filter(state__in=Job.OPEN)
        .values_list("state", flat=True)[:1000]
    )
    running, waiting = states.count(Job.RUNNING), states.count(Job.QUEUED)
    if not states:
        return None
    jobs = "1 job runs" if running == 1 else f"{running} jobs run"
    return ("", f"{jobs}, {waiting} wait" if waiting != 1 else f"{jobs}, 1 waits")


def workers_up(request: HttpRequest) -> tuple[str, str] | None:
    """Say how many workers are up. One query."""
    number = live_workers().filter(stopping=False).count()
    if number == 0:
        return ("warn", "no worker is up: background jobs wait")
    return ("ok", "1 worker is up" if number == 1 else f"{number} workers are up")


def operations(request: HttpRequest) -> dict[str, Any] | None:
    """Return workers, queues, what runs, what is stuck and what ended badly. Nine queries, two for each unserved job."""
    user = request.user
    if not isinstance(user, User):
        return None
    workers = list(live_workers())
    troubled = Troubled(user, workers)
    return {
        "workers": workers,
        "queues": queue_states(),
        "running": troubled.running(),
        "stuck": troubled.stuck(),
        "badly": troubled.ended_badly(),
        "engine": settings.JOB_ENGINE,
        "broker": engine().state(),
        "sees_hosts": user.is_superuser or teams_with(user, MAINTAIN).exists(),
        "rq_pages": settings.JOB_ENGINE == "rq" and user.is_superuser,
    }


def workers() -> Answer:
    """Say whether background jobs are being run."""
    up = list(live_workers().filter(stopping=False))
    if not up:
        return Answer(
            WARN,
            "no worker is up; background jobs wait",
            "Start bin/up or bin/workbench worker.",
        )
    troubled = [worker for worker in up if worker.trouble]
    if troubled:
        return Answer(
            WARN if len(troubled) < len(up) else BAD,
            f"{len(troubled)} of {len(up)} workers take no new work: {troubled[0].trouble}",
            "Make room.",
        )
    processes = sum(worker.processes for worker in up)
    offers = sorted({offer for worker in up for offer in worker.offers.split()})
    return Answer(
        OK,
        f"{len(up)} up, {processes} jobs beside each other"
        + (f"; offered: {', '.join(offers)}" if offers else ""),
    )
