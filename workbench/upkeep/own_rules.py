"""The ground floor's rules of retention: logs, scratch folders, compiled files, ended sessions."""

from __future__ import annotations

from datetime import timedelta

from django.conf import settings
from django.contrib.sessions.models import Session
from django.db.models import Sum
from django.db.models.functions import Length
from django.utils import timezone

from workbench.jobs.models import Job, JobEvent
from workbench.jobs.reaper import abandoned_scratch
from workbench.upkeep.disk import GB
from workbench.upkeep.retention import (
    Removed,
    Rule,
    data_folder,
    remove_files,
    rules,
    trim_folders,
)

BATCH = 2000
DAY_S = 24 * 3600.0


def job_logs(dry: bool) -> Removed:
    """Drop what jobs logged that ended long ago. How they began and ended stays."""
    before = timezone.now() - timedelta(days=settings.KEEP_JOB_LOGS_DAYS)
    old = JobEvent.objects.filter(
        kind__in=(JobEvent.LOG, JobEvent.TRACE), job__finished_at__lt=before
    ).exclude(job__state__in=Job.OPEN)
    if dry:
        return Removed(
            old.count(), old.aggregate(size=Sum(Length("text")))["size"] or 0
        )
    removed = Removed()
    while rows := list(old.order_by("pk").values_list("pk", Length("text"))[:BATCH]):
        JobEvent.objects.filter(pk__in=[pk for pk, _ in rows]).delete()
        removed += Removed(len(rows), sum(size for _, size in rows))
    return removed


def scratch(dry: bool) -> Removed:
    """Drop scratch folders that no running job owns."""
    return remove_files(abandoned_scratch(), 0, dry)


def program_logs(dry: bool) -> Removed:
    """Drop the details of old failures of the program."""
    days = settings.KEEP_LOGS_DAYS
    return remove_files((data_folder() / "logs").glob("*.log"), days * DAY_S, dry)


def compiled(dry: bool) -> Removed:
    """Drop compiled modules that were not used for longest, above the size that is allowed."""
    folder = data_folder() / "cache" / "grading"
    modules = [path for path in folder.glob("*/*") if not path.name.startswith(".")]
    halves = list(folder.glob("*/.*"))
    return remove_files(halves, DAY_S, dry) + trim_folders(
        modules, settings.COMPILED_CACHE_GB * GB, dry
    )


def sessions(dry: bool) -> Removed:
    """Drop sessions that have ended."""
    ended = Session.objects.filter(expire_date__lt=timezone.now())
    return Removed(ended.count() if dry else ended.delete()[0])


def register() -> None:
    """Add the rules (at start-up)."""
    rules.add(
        Rule("job-logs", "Lines in the logs of ended jobs", lambda: f"for {settings.KEEP_JOB_LOGS_DAYS} days", job_logs, 10),
        Rule("scratch", "Scratch folders of dead workers", lambda: "for an hour", scratch, 20),
        Rule("compiled", "Compiled modules", lambda: f"up to {settings.COMPILED_CACHE_GB} GB", compiled, 30),
        Rule("program-logs", "Details of failures of the program", lambda: f"for {settings.KEEP_LOGS_DAYS} days", program_logs, 40),
        Rule("sessions", "Log-in sessions", lambda: "until they end", sessions, 50),
    )  # fmt: skip
