"""The team that a command means."""

from __future__ import annotations

from workbench.access.models import Team
from workbench.commands import WrongUse

DEFAULT_TEAM = "default"


def asked_team(slug: str | None) -> Team:
    """Return the team with `slug`; without one the only team, made if there is none. Raises WrongUse."""
    if slug:
        found = Team.objects.filter(slug=slug).first()
        if found is None:
            known = ", ".join(Team.objects.values_list("slug", flat=True)) or "none yet"
            raise WrongUse(f"there is no team {slug!r} (teams: {known})")
        return found
    teams = list(Team.objects.all()[:2])
    if len(teams) == 1:
        return teams[0]
    if teams and not Team.objects.filter(slug=DEFAULT_TEAM).exists():
        known = ", ".join(Team.objects.values_list("slug", flat=True))
        raise WrongUse(f"there are several teams; say which with --team: {known}")
    return Team.objects.get_or_create(slug=DEFAULT_TEAM, defaults={"name": "Default"})[
        0
    ]
