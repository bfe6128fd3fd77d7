"""Short ways to the state that a test is about."""

from __future__ import annotations

from typing import Any

from tests.workbench.jobs.samples import jobs as samples  # noqa: F401  # declares the sample jobs
from workbench.jobs.actions import submit
from workbench.jobs.declared import QUEUES, declared_names
from workbench.jobs.models import Job
from workbench.jobs.statements import claim

ADD = {"a": 1, "b": 2}


def waiting_job(name: str = "sample-add", **fields: Any) -> Job:
    """Return a fresh job in the queue."""
    fields.setdefault("owner", None)
    if name == "sample-add":
        fields.setdefault("args", ADD)
    return submit(name, **fields)


def running_job(
    name: str = "sample-add", worker: str = "worker-1", **fields: Any
) -> Job:
    """Return a fresh job, claimed by `worker`."""
    made = waiting_job(name, **fields)
    job = claimed(worker)
    assert job is not None
    assert job.pk == made.pk, "another job was waiting"
    return job


def claimed(worker: str = "worker-1", needs: tuple[str, ...] = ("",)) -> Job | None:
    """Claim the next job for `worker`."""
    return claim(worker, queues=list(QUEUES), names=declared_names(), needs=needs)


def fresh(job: Job) -> Job:
    """Return the row as it is now."""
    return Job.objects.get(pk=job.pk)


def said(job: Job) -> list[str]:
    """Return what the log of `job` says."""
    return list(job.events.order_by("pk").values_list("text", flat=True))
