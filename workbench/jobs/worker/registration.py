"""A worker's own row, by which pages and other workers know that it is up."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from datetime import datetime

from django.db.models.functions import Now
from django.utils import timezone

from workbench.jobs.capabilities import written
from workbench.jobs.declared import declared_names
from workbench.jobs.models import WorkerRow
from workbench.jobs.worker.processes import place, started
from workbench.upkeep import disk


@dataclass
class Registration:
    """What is written on the row of the worker `name`."""

    name: str
    processes: int
    queues: list[str]
    offers: frozenset[str]
    stopping: bool = False
    since: datetime = field(default_factory=timezone.now)

    def beat(self) -> None:
        """Write the row with a fresh heartbeat, whether or not it is there."""
        WorkerRow.objects.update_or_create(
            name=self.name,
            defaults={
                "host": os.uname().nodename[:100],
                "place": place(),
                "pid": os.getpid(),
                "pid_started": started(os.getpid()),
                "processes": self.processes,
                "queues": " ".join(self.queues),
                "offers": written(self.offers),
                "jobs": " ".join(declared_names()),
                "stopping": self.stopping,
                "trouble": disk.obstacle()[:300],
                "started_at": self.since,
                "heartbeat_at": Now(),
            },
        )

    def sign_off(self) -> None:
        """Remove the row."""
        WorkerRow.objects.filter(name=self.name).delete()


def worker_name() -> str:
    """Return a name for a worker in this process, unique among machines and process namespaces."""
    host = os.uname().nodename.partition(".")[0]
    return f"{host}-{os.getpid()}-{started(os.getpid()) % 100_000}"[:100]
