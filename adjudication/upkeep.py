"""What submissions may take, and what of them goes after a while. Submissions themselves are kept for ever."""

from __future__ import annotations

from datetime import timedelta

from django.conf import settings
from django.db.models import Sum
from django.utils import timezone

from adjudication.runs.models import Refusal, Submission
from workbench.upkeep.disk import GB, NoRoom, demand_room, size_words
from workbench.upkeep.retention import Removed, Rule, rules


def demand_quota(team_id: int, size: int) -> None:
    """Raise `NoRoom` if a submission of `size` bytes is more than the team, or the disk, has room for. One query."""
    demand_room(size)
    quota = settings.TEAM_SUBMISSIONS_GB * GB
    kept = Submission.objects.filter(team_id=team_id).aggregate(size=Sum("files__total_size"))["size"] or 0  # fmt: skip
    if kept + size > quota:
        raise NoRoom(
            f"Nothing was saved: the submissions of this team take {size_words(kept)}, this one {size_words(size)}, and "
            f"{size_words(quota)} are allowed (WORKBENCH_TEAM_SUBMISSIONS_GB). Ask the operator for more."
        )


def refusals(dry: bool) -> Removed:
    """Drop old notes on files that were handed in and not taken."""
    before = timezone.now() - timedelta(days=settings.KEEP_REFUSALS_DAYS)
    old = Refusal.objects.filter(created_at__lt=before)
    return Removed(old.count() if dry else old.delete()[0])


def register() -> None:
    """Add the rule (at start-up)."""
    rules.add(
        Rule("refusals", "Notes on files that were not taken", lambda: f"for {settings.KEEP_REFUSALS_DAYS} days", refusals, 60)
    )  # fmt: skip
