"""Whether what stands on a board may be published: the badge of each grader behind its cells, and what is missing."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.db.models import Count, Max

from adjudication.runs.models import CanaryBadge, GradingRun
from adjudication.runs.selectors.badges import badges_of, why_not
from adjudication.standings.models import InstanceSet

Place = tuple[int, str, str]
"""Configuration, mode and settings of a row of verified cells."""


@dataclass(frozen=True)
class Publishing:
    """What keeps verified results from being published.

    `badges` are the newest of each grader used, `reasons` words → runs, `places` the rows with any reason → the words.
    """

    badges: Sequence[CanaryBadge]
    reasons: Sequence[tuple[str, int]]
    places: dict[Place, str]

    @property
    def clear(self) -> bool:
        """Whether nothing keeps any of it."""
        return not self.reasons


def publishing(found: InstanceSet) -> Publishing:
    """Return what keeps the verified cells of a set from being published. Three queries."""
    grouped = list(
        found.cells.exclude(run=None)
        .order_by()
        .values(
            "configuration",
            "mode",
            "settings_digest",
            "run__toolchain_digest",
            "run__grader_digest",
            "run__publishable",
            "run__sandbox",
        )
        .annotate(number=Count("pk"), example=Max("run"))
    )
    runs = GradingRun.objects.in_bulk({row["example"] for row in grouped})
    badges = badges_of(runs.values())
    counts: dict[str, int] = defaultdict(int)
    places: dict[Place, str] = {}
    for row in grouped:
        run = runs[row["example"]]
        why = why_not(
            run,
            badges.get((run.toolchain_digest, run.grader_digest)),
            needs_sandbox=found.needs_sandbox,
        )
        if why:
            counts[why] += row["number"]
            places.setdefault(
                (row["configuration"], row["mode"], row["settings_digest"]), why
            )
    reasons = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    return Publishing(_newest(badges.values()), reasons, places)


def _newest(badges: Iterable[CanaryBadge]) -> list[CanaryBadge]:
    return sorted(badges, key=lambda badge: -badge.pk)
