"""Why a definition should be read early, in points and in words.

One table, shown on the queue page: a reviewer sees what put an entry where it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from curation.instances.models import Definition

HIGH, MEDIUM = 40, 15
BANDS: Final = (
    ("high", f"high: {HIGH} points and more"),
    ("medium", f"medium: {MEDIUM} to {HIGH - 1}"),
    ("low", f"low: below {MEDIUM}"),
)
# What counts, in points; docs/curator/reviewing.md has the same table.
DROPPED: Final = 40
ERROR: Final = 30
WARNING: Final = 15
LONG, VERY_LONG = 10, 20
LONG_LINES, VERY_LONG_LINES = 25, 60
USED, MUCH_USED = 10, 20
USED_BY, MUCH_USED_BY = 4, 10
NO_LINK, GUESSED_LINK = 10, 5
NO_API: Final = 15
NO_SPEC: Final = 10

TABLE: Final = (
    (DROPPED, "changed after approval"),
    (ERROR, "an error of the files at its lines"),
    (VERY_LONG, f"{VERY_LONG_LINES} lines and more ({LONG} from {LONG_LINES} on)"),
    (MUCH_USED, f"used by {MUCH_USED_BY} and more ({USED} from {USED_BY} on)"),
    (WARNING, "a warning of the files at its lines"),
    (NO_API, "a spec that mentions no API"),
    (NO_SPEC, "an API that no spec mentions"),
    (NO_LINK, f"no link to the source ({GUESSED_LINK} where it is a guess)"),
)

_LINKABLE = frozenset(
    (
        Definition.API,
        Definition.TYPE,
        Definition.HELPER,
        Definition.SPEC,
        Definition.SPEC_HELPER,
    )
)


@dataclass(frozen=True)
class Facts:
    """What is known of a definition in its revision. `link` is "none", "guess" or "sure"; None: no source was given.

    `errors` and `warnings` are the codes of the findings at its lines; `users` counts the definitions that name it;
    `apis` are those that a spec mentions, `specs` those that mention an API.
    """

    kind: str
    lines: int
    users: int = 0
    errors: Sequence[str] = ()
    warnings: Sequence[str] = ()
    link: str | None = None
    apis: int = 0
    specs: int = 0
    dropped: bool = False


def risk_of(facts: Facts) -> tuple[int, str]:
    """Return the points of `facts` and their reasons in words, weightiest first."""
    reasons = [reason for reason in _reasons(facts) if reason[0]]
    reasons.sort(key=lambda reason: -reason[0])
    points = sum(weight for weight, _ in reasons)
    return points, ", ".join(words for _, words in reasons)[:300]


def band(points: int) -> str:
    """Return the band of `points`: high, medium or low."""
    return "high" if points >= HIGH else "medium" if points >= MEDIUM else "low"


def _reasons(facts: Facts) -> list[tuple[int, str]]:
    found = []
    if facts.dropped:
        found.append((DROPPED, "changed after approval"))
    if facts.errors:
        found.append((ERROR, f"error at its lines: {facts.errors[0]}"))
    if facts.warnings:
        found.append((WARNING, f"warning at its lines: {facts.warnings[0]}"))
    if facts.lines >= LONG_LINES:
        weight = VERY_LONG if facts.lines >= VERY_LONG_LINES else LONG
        found.append((weight, f"{facts.lines} lines"))
    if facts.users >= USED_BY:
        weight = MUCH_USED if facts.users >= MUCH_USED_BY else USED
        found.append((weight, f"used by {facts.users}"))
    if facts.kind == Definition.SPEC and not facts.apis:
        found.append((NO_API, "spec that mentions no API"))
    if facts.kind == Definition.API and not facts.specs:
        found.append((NO_SPEC, "no spec mentions it"))
    if facts.kind in _LINKABLE and facts.link == "none":
        found.append((NO_LINK, "no link to the source"))
    if facts.kind in _LINKABLE and facts.link == "guess":
        found.append((GUESSED_LINK, "its link is a guess"))
    return found
