"""What journeys do to the site from outside the browser, by `site.seed("tests.browser.seeds:…")`. Each returns JSON."""

from __future__ import annotations

from django.contrib.sessions.models import Session
from django.urls import reverse

from curation.format.instance import load_files
from curation.instances.actions.import_revision import import_revision
from curation.instances.models import Definition
from tests.browser import archives
from workbench.access.models import Membership, Team, User


def end_sessions(name: str) -> int:
    """End every session of the person `name`, as time would; return how many there were."""
    user = User.objects.get(username=name)
    ended = [
        session.pk
        for session in Session.objects.all()
        if session.get_decoded().get("_auth_user_id") == str(user.pk)
    ]
    Session.objects.filter(pk__in=ended).delete()
    return len(ended)


def newcomer(name: str, password: str, team: str) -> str:
    """Make a person who curates in a team of their own, in which nothing is; return their name."""
    user = User.objects.create_user(name, password=password)
    own = Team.objects.create(slug=team, name=team.title())
    Membership.objects.create(user=user, team=own, role="curator")
    return user.username


def import_fixture(benchmark_id: str, fixture: str = "ivalset") -> dict[str, str]:
    """Import a fixture instance with its source as `benchmark_id`; return the address of each definition by its name."""
    team = Team.objects.get(slug="demo")
    loaded = load_files(archives.instance(benchmark_id, fixture), benchmark_id)
    import_revision(None, team, loaded, source_files=archives.upstream(fixture))
    rows = Definition.objects.filter(instance__benchmark_id=benchmark_id)
    return {
        name: reverse("instances:definition", args=[slug, pk])
        for name, slug, pk in rows.values_list("lean_name", "instance__slug", "pk")
    }
