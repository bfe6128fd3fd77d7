"""Teams, and what their roles may do."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from workbench.access.actions.create_team import (
    create_team,
    may_create_teams,
    require_team_creation,
)
from workbench.access.forms import TeamForm
from workbench.access.models import User
from workbench.access.roles import RIGHTS, ROLES
from workbench.access.selectors import teams_seen
from workbench.ui.answers import done


@require_safe
def people(request: HttpRequest) -> HttpResponse:
    return _page(request, TeamForm())


@require_POST
def new_team(request: HttpRequest) -> HttpResponse:
    assert isinstance(request.user, User)
    require_team_creation(request.user)
    form = TeamForm(request.POST)
    if not form.is_valid():
        return _page(request, form, status=422)
    team = create_team(
        request.user, form.cleaned_data["slug"], form.cleaned_data["name"]
    )
    return done(
        request,
        reverse("team", args=[team.slug]),
        f"{team.name} is there; you are its admin.",
    )


def _page(request: HttpRequest, form: TeamForm, status: int = 200) -> HttpResponse:
    assert isinstance(request.user, User)
    context = {
        "teams": teams_seen(request.user),
        "roles": list(ROLES),
        "matrix": [
            (words, [(role, right in rights) for role, rights in ROLES.items()])
            for right, words in RIGHTS.items()
        ],
        "form": form,
        "may_create": may_create_teams(request.user),
    }
    return render(request, "access/people.html", context, status=status)
