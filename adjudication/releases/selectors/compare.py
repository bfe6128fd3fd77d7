"""Two releases of a set beside each other: instances, specs, outcomes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from adjudication.releases.changes import Change as InstanceChange
from adjudication.releases.models import Release
from adjudication.runs.models import GradingRun
from adjudication.runs.selectors.compare import LOST, NONE, Change

Place = tuple[str, str, str]
"""Instance, mode and configuration of a run in a release: there is one at most."""


@dataclass(frozen=True)
class RunChange:
    """Another run of one configuration in one mode on an instance; None where a release has none there."""

    instance: str
    mode: str
    configuration: str
    old: GradingRun | None
    new: GradingRun | None

    @property
    def tone(self) -> str:
        """Better, worse or neither."""
        if self.old is None or self.new is None:
            return "info" if self.old is None else "warn"
        moved = self.new.passed_count - self.old.passed_count
        return "ok" if moved > 0 else "bad" if moved < 0 else "off"

    @property
    def words(self) -> str:
        """What happened, with how many specs more or less."""
        if self.old is None:
            return "new"
        if self.new is None:
            return "no longer in it"
        moved = self.new.passed_count - self.old.passed_count
        return f"{moved:+d} passed" if moved else "as many passed"


@dataclass(frozen=True)
class Moved:
    """A spec whose outcome is another one in the later release, where both have a run in that place."""

    instance: str
    mode: str
    configuration: str
    change: Change
    old_run: int
    new_run: int


def run_changes(before: Release, after: Release) -> list[RunChange]:
    """Return the places where the two hold different runs, by instance. Two queries."""
    old, new = _places(before), _places(after)
    return [
        RunChange(*place, old.get(place), new.get(place))
        for place in sorted(old | new)
        if old.get(place) != new.get(place)
    ]


def outcome_changes(changes: Sequence[RunChange]) -> Iterator[Moved]:
    """Yield the outcomes that differ where both releases have a run. Two queries a place."""
    for place in changes:
        if place.old is None or place.new is None:
            continue
        a, b = _outcomes(place.old), _outcomes(place.new)
        for spec in dict.fromkeys([*a, *b]):
            change = Change(spec, a.get(spec, NONE), b.get(spec, NONE))
            if change.old != change.new:
                yield Moved(
                    place.instance,
                    place.mode,
                    place.configuration,
                    change,
                    place.old.pk,
                    place.new.pk,
                )


def counted(moves: Sequence[Moved]) -> dict[str, int]:
    """Return how many outcomes moved by kind (gained, lost, other)."""
    found: dict[str, int] = {}
    for one in moves:
        found[one.change.kind] = found.get(one.change.kind, 0) + 1
    return found


def losses_first(moves: Sequence[Moved]) -> list[Moved]:
    """Return what passes no longer before everything else; a stable order otherwise."""
    return sorted(moves, key=lambda one: one.change.kind != LOST)


def _places(release: Release) -> dict[Place, GradingRun]:
    rows = release.runs.ended().select_related("submission__configuration", "instance")
    return {
        (
            run.instance.slug,
            run.submission.mode,
            str(run.submission.configuration),
        ): run
        for run in rows.order_by("pk")
    }


def _outcomes(run: GradingRun) -> dict[str, str]:
    return dict(run.outcomes.order_by("position").values_list("spec", "outcome"))


def told(changes: Sequence[InstanceChange]) -> tuple[str, str, str]:
    """Return three facts about `changes` in words: instances that came, went, changed."""
    came = sum(one.before is None for one in changes)
    went = sum(one.after is None for one in changes)
    other = sum(
        one.before is not None and one.after is not None and not one.same
        for one in changes
    )
    return f"{came} new", f"{went} no longer in it", f"{other} changed"
