"""Make a set, change its policy, put instances in and take them out: plain forms."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import (
    require_http_methods,
    require_safe,
)

from adjudication.standings.actions.make_set import (
    BadSet,
    make_set,
    put_into_set,
    set_policy,
    take_out_of_set,
)
from adjudication.standings.models import InstanceSet
from adjudication.standings.views.boards import visible_board
from curation.instances.models import Instance
from workbench.access.models import User
from workbench.access.rights import AccessDenied, allowed, require, teams_with
from workbench.access.roles import MAINTAIN
from workbench.ui.answers import done, takes_forms_of

MOST_OFFERED = 500


class MakeForm(forms.Form):
    """A new set: its name, its team, and what is in it from the start."""

    name = forms.CharField(
        max_length=200,
        label="Name",
        help_text="its address is made of the letters and digits in it",
    )

    def __init__(self, user: User, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        teams = teams_with(user, MAINTAIN)
        self.fields["team"] = forms.ModelChoiceField(
            teams, to_field_name="slug", empty_label=None, label="Team"
        )
        self.fields["everything"] = forms.BooleanField(
            required=False, label="with every instance of the team"
        )


class PolicyForm(forms.Form):
    """What a set is called and which submission counts in it."""

    name = forms.CharField(max_length=200, label="Name")
    description = forms.CharField(
        required=False,
        max_length=5000,
        label="Description",
        widget=forms.Textarea(attrs={"rows": 3}),
    )
    choice = forms.ChoiceField(
        choices=InstanceSet.CHOICES,
        label="Of several submissions of a configuration, what counts is",
        help_text="on the newest revision that was graded",
    )
    needs_sandbox = forms.BooleanField(
        required=False,
        label="a verdict without a proven sandbox may not be published",
    )


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def make(request: HttpRequest) -> HttpResponse:
    """The form for a new set."""
    user = request.user
    assert isinstance(user, User)  # login_required
    if not teams_with(user, MAINTAIN).exists():
        raise AccessDenied("You may not make sets: ask an admin of your team.")
    if request.method != "POST":
        return render(request, "standings/make.html", {"form": MakeForm(user)})
    form = MakeForm(user, request.POST)
    if form.is_valid():
        data = form.cleaned_data
        instances = (
            Instance.objects.filter(team=data["team"], hidden=False)
            if data["everything"]
            else []
        )
        try:
            made = make_set(user, data["team"], data["name"], instances)
        except BadSet as error:
            form.add_error("name", str(error))
        else:
            to = reverse("boards:edit", args=[made.slug])
            return done(request, to, f"Made the set {made}.")
    return render(request, "standings/make.html", {"form": form}, status=422)


@require_safe
@login_required
def edit(request: HttpRequest, slug: str) -> HttpResponse:
    """What a set holds and by which policy. Who may not change it may read it."""
    return _page(request, visible_board(request, slug))


@takes_forms_of(lambda slug: reverse("boards:edit", args=[slug]))
@login_required
def policy(request: HttpRequest, slug: str) -> HttpResponse:
    """Change name, description and policy."""
    user = request.user
    assert isinstance(user, User)  # login_required
    found = visible_board(request, slug)
    require(user, MAINTAIN, found)
    form = PolicyForm(request.POST)
    if form.is_valid():
        try:
            set_policy(user, found, **form.cleaned_data)
        except BadSet as error:
            form.add_error(None, str(error))
        else:
            return done(request, reverse("boards:edit", args=[slug]), "Changed.")
    return _page(request, found, form=form, status=422)


@takes_forms_of(lambda slug: reverse("boards:edit", args=[slug]))
@login_required
def add(request: HttpRequest, slug: str) -> HttpResponse:
    """Put the chosen instances into the set."""
    user = request.user
    assert isinstance(user, User)  # login_required
    found = visible_board(request, slug)
    require(user, MAINTAIN, found)
    names = request.POST.getlist("instance")
    chosen = list(_offered(user, found).filter(slug__in=names))
    if not chosen:
        return _page(request, found, why="Choose at least one instance.", status=422)
    try:
        new = put_into_set(user, found, chosen)
    except BadSet as error:
        return _page(request, found, why=str(error), status=422)
    words = "1 instance is" if new == 1 else f"{new} instances are"
    return done(request, reverse("boards:edit", args=[slug]), f"{words} in it now.")


@takes_forms_of(lambda slug: reverse("boards:edit", args=[slug]))
@login_required
def remove(request: HttpRequest, slug: str) -> HttpResponse:
    """Take one instance out of the set."""
    user = request.user
    assert isinstance(user, User)  # login_required
    found = visible_board(request, slug)
    require(user, MAINTAIN, found)
    member = found.members.filter(name=request.POST.get("member", "")[:100]).first()
    if member is None:
        why = "There is no instance of that name in the set any more."
        return _page(request, found, why=why, status=422)
    gone = take_out_of_set(user, found, member)
    words = (
        f"{member.name} is out of the set."
        if gone
        else f"{member.name} keeps its place for the counts that were reported; nothing graded counts there."
    )
    return done(request, reverse("boards:edit", args=[slug]), words)


def _offered(user: User, found: InstanceSet) -> Any:
    """Return the instances of the set's team that are not in it."""
    inside = found.members.exclude(instance=None).values("instance")
    return (
        Instance.objects.visible_to(user)
        .filter(team=found.team_id, hidden=False)
        .exclude(pk__in=inside)
        .order_by("slug")
    )


def _page(
    request: HttpRequest,
    found: InstanceSet,
    *,
    form: PolicyForm | None = None,
    why: str = "",
    status: int = 200,
) -> HttpResponse:
    user = request.user
    assert isinstance(user, User)  # login_required
    offered = list(_offered(user, found)[: MOST_OFFERED + 1])
    initial = {
        "name": found.name,
        "description": found.description,
        "choice": found.choice,
        "needs_sandbox": found.needs_sandbox,
    }
    context = {
        "set": found,
        "members": found.members.select_related("instance"),
        "offered": offered[:MOST_OFFERED],
        "more": len(offered) > MOST_OFFERED,
        "form": form or PolicyForm(initial=initial),
        "why": why,
        "may_change": allowed(user, MAINTAIN, found),
    }
    return render(request, "standings/set.html", context, status=status)
