"""Return to the queue what dead workers held, and forget dead workers."""

from __future__ import annotations

import logging
import shutil
import time
from datetime import timedelta
from pathlib import Path

from django.conf import settings
from django.db import models, transaction
from django.db.models.functions import Now

from workbench.jobs import endings
from workbench.jobs.lease import expired
from workbench.jobs.models import Job, WorkerRow
from workbench.jobs.run import scratch_folder, scratch_root
from workbench.jobs.scratch import abandoned_folders
from workbench.jobs.worker.processes import place, started

log = logging.getLogger(__name__)
FORGOTTEN_AFTER = timedelta(hours=1)
_OLD_SCRATCH_S = 3600


def reap() -> int:
    """Return every job whose lease ran out to the queue, or give it up; return how many. Forget workers long silent."""
    count = _return(expired(), "its worker fell silent")
    WorkerRow.objects.filter(heartbeat_at__lt=Now() - FORGOTTEN_AFTER).delete()
    return count


def reap_local() -> int:
    """Return at once what workers held that died on this machine, without waiting for their leases; return how many jobs."""
    count = 0
    for row in WorkerRow.objects.filter(place=place()):
        if started(row.pid) == row.pid_started:
            continue
        count += _return(
            Job.objects.filter(state=Job.RUNNING, worker=row.name),
            "its worker was killed",
        )
        row.delete()
    return count


def _return(jobs: models.QuerySet[Job], reason: str) -> int:
    count = 0
    for pk in list(jobs.order_by("pk").values_list("pk", flat=True)):
        with transaction.atomic():
            # A locked row belongs to a job that is publishing its result at this moment.
            job = jobs.select_for_update(skip_locked=True).filter(pk=pk).first()
            if job is None or not endings.hand_back(job, reason):
                continue
        shutil.rmtree(scratch_folder(job.pk, job.lease), ignore_errors=True)
        log.warning("%s: %s (%s)", job, reason, job.worker)
        count += 1
    return count


def sweep_scratch() -> int:
    """Remove scratch folders that no running job owns and that are an hour old, and those of dead processes; return how many."""
    found = abandoned_scratch()
    for folder in found:
        shutil.rmtree(folder, ignore_errors=True)
    return len(found)


def abandoned_scratch() -> list[Path]:
    """Return the scratch folders that no running job owns and that are an hour old, and those of dead processes."""
    folders = {folder.name: folder for folder in scratch_root().glob("job-*")}
    for pk, lease in Job.objects.filter(state=Job.RUNNING).values_list("pk", "lease"):
        folders.pop(scratch_folder(pk, lease).name, None)
    oldest = time.time() - max(_OLD_SCRATCH_S, settings.JOB_LEASE_SECONDS)
    old = [folder for folder in folders.values() if folder.stat().st_mtime < oldest]
    return [*old, *abandoned_folders()]
