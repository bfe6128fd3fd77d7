"""Name a configuration: an agent harness with a model and an effort."""

from __future__ import annotations

from django.db import transaction
from django.utils.text import slugify

from adjudication.runs.models import Configuration
from workbench.access.models import Team, User
from workbench.access.rights import require
from workbench.access.roles import SUBMIT
from workbench.events.log import record


class BadName(Exception):
    """The name says too little or too much. The text says what was expected."""


@transaction.atomic
def name_configuration(
    user: User | None, team: Team, harness: str, model: str = "", effort: str = ""
) -> Configuration:
    """Return the configuration of `team` with these three names, made if it is new.

    Raises `AccessDenied`, and `BadName` for an empty harness or a name that is too long.
    """
    if user is not None:
        require(user, SUBMIT, team)
    parts = [" ".join(part.split()) for part in (harness, model, effort)]
    if not parts[0]:
        raise BadName("The harness has no name; expected for example “Codex”.")
    for name, value, most in zip(
        ("harness", "model", "effort"), parts, (100, 100, 50), strict=True
    ):
        if len(value) > most:
            raise BadName(
                f"The {name} has {len(value)} characters; expected at most {most}."
            )
    team = Team.objects.select_for_update(no_key=True).get(pk=team.pk)
    known = Configuration.objects.filter(
        team=team, harness=parts[0], model=parts[1], effort=parts[2]
    ).first()
    if known is not None:
        return known
    made = Configuration.objects.create(
        team=team,
        slug=_free_slug(team, parts),
        harness=parts[0],
        model=parts[1],
        effort=parts[2],
    )
    record("configuration.named", user, made)
    return made


def _free_slug(team: Team, parts: list[str]) -> str:
    base = slugify("-".join(filter(None, parts)).replace(".", "-"))[:90] or "agent"
    slug, number = base, 1
    while Configuration.objects.filter(team=team, slug=slug).exists():
        number += 1
        slug = f"{base}-{number}"
    return slug
