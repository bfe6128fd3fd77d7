"""One team: who is in it, and what they may do."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from workbench.access.actions.create_user import NameTaken, create_user
from workbench.access.actions.give_role import AlreadyGiven, give_role
from workbench.access.actions.take_role import LastAdmin, NotHeld, take_role
from workbench.access.forms import AccountForm, RoleForm
from workbench.access.models import Team, User
from workbench.access.rights import allowed, get_visible_or_404, require, teams_with
from workbench.access.roles import ADMINISTER, VIEW
from workbench.access.selectors import colleagues, members_of
from workbench.ui.answers import announce, done, is_htmx


@require_safe
def team(request: HttpRequest, slug: str) -> HttpResponse:
    return _page(request, _seen(request, slug))


@require_safe
def team_by_id(request: HttpRequest, pk: int) -> HttpResponse:
    """Where the event log points to: it keeps numbers, which outlive names."""
    found = get_visible_or_404(teams_with(request.user, VIEW), pk=pk)
    return redirect("team", slug=found.slug)


@require_POST
def give(request: HttpRequest, slug: str) -> HttpResponse:
    team = _seen(request, slug)
    user = _person(request)
    require(user, ADMINISTER, team)
    form = RoleForm(request.POST)
    if form.is_valid():
        person, role = form.cleaned_data["person"], form.cleaned_data["role"]
        try:
            give_role(user, person, team, role)
        except AlreadyGiven as already:
            form.add_error("role", str(already))
        else:
            return _changed(
                request, team, f"{person.username} is {role} in {team.name} now."
            )
    return _page(request, team, role_form=form, status=422)


@require_POST
def take(request: HttpRequest, slug: str) -> HttpResponse:
    team = _seen(request, slug)
    person = get_visible_or_404(
        User.objects.filter(memberships__team=team).distinct(),
        username=request.POST.get("person", ""),
    )
    role = request.POST.get("role", "")
    try:
        take_role(_person(request), person, team, role)
    except (LastAdmin, NotHeld) as refused:
        return _page(request, team, refused=str(refused), status=409)
    return _changed(
        request, team, f"{person.username} is no longer {role} in {team.name}."
    )


@never_cache
@require_POST
def new_account(request: HttpRequest, slug: str) -> HttpResponse:
    """Answer with the page itself and not with a redirect: the first password is shown once and kept nowhere."""
    team = _seen(request, slug)
    user = _person(request)
    require(user, ADMINISTER, team)
    form = AccountForm(request.POST)
    if form.is_valid():
        wanted = form.cleaned_data
        try:
            account, password = create_user(
                user,
                team,
                wanted["username"],
                wanted["role"],
                full_name=wanted["full_name"],
                email=wanted["email"],
            )
        except NameTaken as taken:
            form.add_error("username", str(taken))
        else:
            return _page(request, team, account=account, password=password, status=201)
    return _page(request, team, account_form=form, status=422)


def _person(request: HttpRequest) -> User:
    assert isinstance(request.user, User)
    return request.user


def _seen(request: HttpRequest, slug: str) -> Team:
    found: Team = get_visible_or_404(teams_with(request.user, VIEW), slug=slug)
    return found


def _changed(request: HttpRequest, team: Team, words: str) -> HttpResponse:
    if is_htmx(request) and allowed(request.user, ADMINISTER, team):
        return announce(_page(request, team), words)
    # Whoever gave away their own admin role goes on seeing the page, or the list of teams when they left.
    still_seen = allowed(request.user, VIEW, team)
    return done(
        request,
        reverse("team", args=[team.slug]) if still_seen else reverse("people"),
        words,
    )


def _page(
    request: HttpRequest,
    team: Team,
    *,
    role_form: RoleForm | None = None,
    account_form: AccountForm | None = None,
    account: User | None = None,
    password: str = "",
    refused: str = "",
    status: int = 200,
) -> HttpResponse:
    user = _person(request)
    context = {
        "team": team,
        "members": members_of(team),
        "administers": allowed(user, ADMINISTER, team),
        "colleagues": colleagues(user),
        "role_form": role_form or RoleForm(auto_id="role_%s"),
        "account_form": account_form or AccountForm(auto_id="account_%s"),
        "account": account,
        "first_password": password,
        "refused": refused,
    }
    template = "access/members.html" if is_htmx(request) else "access/team.html"
    return render(request, template, context, status=status)
