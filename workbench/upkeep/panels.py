"""What the operations page shows of storage."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.http import HttpRequest
from django.utils import timezone

from workbench.access.models import User
from workbench.events.models import Event
from workbench.jobs.models import Job
from workbench.ui.checks import NA, OK, WARN, Answer
from workbench.upkeep.disk import MB, free_bytes, obstacle, size_words
from workbench.upkeep.retention import rules

BACKUP_DAYS = 7


def backup() -> Answer:
    """Say when the last backup was made."""
    last = Event.objects.filter(verb="backup.made").order_by("-number").first()
    if last is None:
        return Answer(
            NA,
            "none was made with bin/workbench backup",
            "Make one every night: docs/deploy.md.",
        )
    days = (timezone.now() - last.at).days
    words = f"the last one is of {last.at:%Y-%m-%d %H:%M}, {days} days ago"
    if days > BACKUP_DAYS:
        return Answer(WARN, words, "Run: bin/workbench backup, best every night.")
    return Answer(OK, words)


def storage(request: HttpRequest) -> dict[str, Any] | None:
    """Return what is kept for how long, how much room there is, and the last clean-up. One query."""
    if not isinstance(request.user, User):
        return None
    last = Job.objects.filter(name="clean-up").order_by("-pk").first()
    return {
        "kept": [(rule.things, rule.keeps()) for rule in rules],
        "free": size_words(free_bytes()),
        "obstacle": obstacle(),
        "reserve": size_words(settings.DISK_RESERVE_MB * MB),
        "last": last,
        "operates": request.user.is_superuser,
    }
