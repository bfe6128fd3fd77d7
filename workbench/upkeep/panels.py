"""What the operations page shows of storage."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.http import HttpRequest

from workbench.access.models import User
from workbench.jobs.models import Job
from workbench.upkeep.disk import free_bytes, obstacle, size_words
from workbench.upkeep.retention import rules


def storage(request: HttpRequest) -> dict[str, Any] | None:
    """Return what is kept for how long, how much room there is, and the last clean-up. One query."""
    if not isinstance(request.user, User):
        return None
    last = Job.objects.filter(name="clean-up").order_by("-pk").first()
    return {
        "kept": [(rule.things, rule.keeps()) for rule in rules],
        "free": size_words(free_bytes()),
        "obstacle": obstacle(),
        "reserve": size_words(settings.DISK_RESERVE_MB << 20),
        "last": last,
        "operates": request.user.is_superuser,
    }
