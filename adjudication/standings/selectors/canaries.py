"""Whether what stands on a board may be published: the badge of each grader behind its cells, and what is missing."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from adjudication.runs.models import CanaryBadge, GradingRun
from adjudication.runs.selectors.badges import badges_of, why_not
from adjudication.standings.models import Cell, InstanceSet
from adjudication.standings.selectors.standing import Makeup

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


def publishing(found: InstanceSet, made_of: Makeup) -> Publishing:
    """Return what keeps the verified cells of a set from being published. Two queries, three where something does."""
    grouped = [row for row in made_of.cells if row["basis"] == Cell.VERIFIED]
    runs = GradingRun.objects.in_bulk({row["example"] for row in grouped})
    badges = badges_of(
        (run.toolchain_digest, run.grader_digest) for run in runs.values()
    )
    counts: dict[str, int] = defaultdict(int)
    obstacles: dict[str, str] = {}
    for row in grouped:
        run = runs[row["example"]]
        badge = badges.get((run.toolchain_digest, run.grader_digest))
        why = why_not(run, badge, needs_sandbox=found.needs_sandbox)
        if why:
            counts[why] += row["number"]
            obstacles[row["graded_by"]] = why
    places: dict[Place, str] = {}
    if obstacles:
        cells = found.cells.filter(basis=Cell.VERIFIED, graded_by__in=obstacles)
        kept = cells.order_by().values_list(
            "configuration", "mode", "settings_digest", "graded_by"
        )
        for agent, mode, settings, grader in kept.distinct():
            places.setdefault((agent, mode, settings), obstacles[grader])
    reasons = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    return Publishing(_newest(badges.values()), reasons, places)


def _newest(badges: Iterable[CanaryBadge]) -> list[CanaryBadge]:
    return sorted(badges, key=lambda badge: -badge.pk)
