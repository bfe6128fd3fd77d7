"""Two releases of a set beside each other: instances, specs, outcomes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from adjudication.releases.changes import Change as InstanceChange
from adjudication.releases.models import Release
from adjudication.runs.models import Outcome
from adjudication.runs.selectors.compare import LOST, NONE, Change

Place = tuple[str, str, str]
"""Instance, mode and configuration of a run in a release: there is one at most."""


@dataclass(frozen=True)
class Moved:
    """A spec whose outcome is another one in the later release, for one configuration in one mode."""

    instance: str
    mode: str
    configuration: str
    change: Change
    old_run: int | None
    new_run: int | None


def outcome_changes(before: Release, after: Release) -> Iterator[Moved]:
    """Yield the outcomes that differ, by instance. Runs that both hold are not read; two queries for each other place."""
    old, new = _places(before), _places(after)
    for place in sorted(old | new):
        if old.get(place) == new.get(place):
            continue
        a, b = _outcomes(old.get(place)), _outcomes(new.get(place))
        for spec in dict.fromkeys([*a, *b]):
            change = Change(spec, a.get(spec, NONE), b.get(spec, NONE))
            if change.old != change.new:
                yield Moved(*place, change, old.get(place), new.get(place))


def counted(moves: Sequence[Moved]) -> dict[str, int]:
    """Return how many outcomes moved by kind (gained, lost, other)."""
    found: dict[str, int] = {}
    for one in moves:
        found[one.change.kind] = found.get(one.change.kind, 0) + 1
    return found


def losses_first(moves: Sequence[Moved]) -> list[Moved]:
    """Return what passes no longer before everything else; a stable order otherwise."""
    return sorted(moves, key=lambda one: one.change.kind != LOST)


def _places(release: Release) -> dict[Place, int]:
    rows = release.runs.ended().select_related("submission__configuration", "instance")
    return {
        (
            run.instance.slug,
            run.submission.mode,
            str(run.submission.configuration),
        ): run.pk
        for run in rows.order_by("pk")
    }


def _outcomes(run: int | None) -> dict[str, str]:
    if run is None:
        return {}
    rows = Outcome.objects.filter(run=run).order_by("position")
    return dict(rows.values_list("spec", "outcome"))


def told(changes: Sequence[InstanceChange]) -> tuple[str, str, str]:
    """Return three facts about `changes` in words: instances that came, went, changed."""
    came = sum(one.before is None for one in changes)
    went = sum(one.after is None for one in changes)
    other = sum(
        one.before is not None and one.after is not None and not one.same
        for one in changes
    )
    return f"{came} new", f"{went} no longer in it", f"{other} changed"
