"""What releases add to the frame."""

from __future__ import annotations

from django.db.models import QuerySet
from django.urls import reverse

from adjudication.releases import jobs as jobs  # declares them
from adjudication.releases.models import Release
from workbench.access.objects import Kind, kinds
from workbench.access.rights import Person, sight
from workbench.events.telling import Telling, tellings


def register() -> None:
    """Add everything. Called once, when the app starts."""
    kinds.add(
        Kind(
            "release", lambda pk: reverse("releases:by_id", args=[pk]), visible_releases
        )
    )
    tellings.add(
        Telling("release.frozen", "froze {object}: {instances} instances, {runs} runs"),
        Telling("release.waived", "signed for {object}: {what}"),
        Telling("release.built", "built {object}"),
        Telling("release.published", "published {object}"),
        Telling("release.retracted", "retracted {object}"),
    )


def visible_releases(user: Person) -> QuerySet[Release]:
    """Return the releases of the sets that `user` may see."""
    return Release.objects.filter(sight(user, team="set__team", kind="set", pk="set"))
