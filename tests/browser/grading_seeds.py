"""A team that grades, put into a site from outside the browser (`site.seed`)."""

from __future__ import annotations

import secrets

from django.db import transaction
from django.urls import reverse

from adjudication.grading.version import grader_digest
from adjudication.runs.models import CanaryBadge, GradingRun
from adjudication.standings.actions.make_set import make_set
from curation.format.instance import load_files
from curation.instances.actions.import_revision import import_revision
from curation.instances.models import Definition, Instance
from tests.browser import archives
from workbench.access.models import Membership, Team, User

ROLES = ("submitter", "curator", "maintainer")


@transaction.atomic
def bench() -> list[dict[str, str]]:
    """Make a team with a person a role, the instance `ivalset` and a set of it; return the accounts."""
    team = Team.objects.create(slug="bench", name="Bench")
    accounts = []
    for role in ROLES:
        password = secrets.token_urlsafe(16)
        user = User.objects.create_user(f"the-{role}", password=password)
        Membership.objects.create(user=user, team=team, role=role)
        accounts.append({"role": role, "name": user.username, "password": password})
    loaded = load_files(archives.instance("ivalset"), "ivalset")
    import_revision(None, team, loaded, source_files=archives.upstream())
    make_set(user, team, "Bench", [Instance.objects.get()])
    return accounts


def spec_address(name: str) -> str:
    """Return the address of the spec whose short name is `name`."""
    spec = Definition.objects.get(instance__slug="ivalset", lean_name__endswith=name)
    return reverse("instances:definition", args=["ivalset", spec.pk])


def green_canaries() -> int:
    """Stand in for `canaries --record`, which grades some sixty submissions: a green badge for the grader of the newest run."""
    run = GradingRun.objects.ended().latest("pk")
    return CanaryBadge.objects.create(
        toolchain=run.toolchain,
        toolchain_digest=run.toolchain_digest,
        grader_digest=grader_digest(),
        sandbox=run.sandbox,
        ok=True,
        cheats=1,
        honest=1,
        document="{}",
    ).pk
