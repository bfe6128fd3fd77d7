"""Roles that people hold on one object alone, whatever team it belongs to."""

from __future__ import annotations

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from workbench.access.actions.give_role import AlreadyGiven, give_role_on
from workbench.access.actions.take_role import NotHeld, take_role_on
from workbench.access.forms import RoleForm
from workbench.access.models import User
from workbench.access.objects import kinds, name_of
from workbench.access.rights import allowed, get_visible_or_404, require
from workbench.access.roles import ADMINISTER
from workbench.access.selectors import colleagues, holders_of
from workbench.ui.answers import done


@require_safe
def roles_on(request: HttpRequest, kind: str, pk: int) -> HttpResponse:
    return _page(request, _seen(request, kind, pk))


@require_POST
def give_on(request: HttpRequest, kind: str, pk: int) -> HttpResponse:
    about = _seen(request, kind, pk)
    require(request.user, ADMINISTER, about)
    form = RoleForm(request.POST)
    if form.is_valid():
        person, role = form.cleaned_data["person"], form.cleaned_data["role"]
        try:
            give_role_on(_person(request), person, about, role)
        except AlreadyGiven as already:
            form.add_error("role", str(already))
        else:
            return done(
                request,
                _address(about),
                f"{person.username} is {role} on {name_of(about)} now.",
            )
    return _page(request, about, form=form, status=422)


@require_POST
def take_on(request: HttpRequest, kind: str, pk: int) -> HttpResponse:
    about = _seen(request, kind, pk)
    require(request.user, ADMINISTER, about)
    person = get_visible_or_404(
        User.objects.all(), username=request.POST.get("person", "")
    )
    role = request.POST.get("role", "")
    try:
        take_role_on(_person(request), person, about, role)
    except NotHeld as refused:
        return _page(request, about, refused=str(refused), status=409)
    return done(
        request,
        _address(about),
        f"{person.username} is no longer {role} on {name_of(about)}.",
    )


def _person(request: HttpRequest) -> User:
    assert isinstance(request.user, User)
    return request.user


def _seen(request: HttpRequest, kind: str, pk: int) -> Any:
    known = kinds.get(kind)
    if known is None or known.visible is None:
        raise Http404("Roles are not given on single objects of that kind.")
    about = get_visible_or_404(known.visible(request.user), pk=pk)
    if not hasattr(about, "access_kind"):
        raise Http404("Roles are not given on single objects of that kind.")
    return about


def _address(about: Any) -> str:
    return reverse("roles_on", args=[about.access_kind, about.pk])


def _page(
    request: HttpRequest,
    about: Any,
    *,
    form: RoleForm | None = None,
    refused: str = "",
    status: int = 200,
) -> HttpResponse:
    kind = about.access_kind
    known = kinds.get(kind)
    context = {
        "about": about,
        "name": name_of(about),
        "kind": kind,
        "url": known.url(str(about.pk)) if known else "",
        "holders": holders_of(kind, about.pk),
        "administers": allowed(request.user, ADMINISTER, about),
        "colleagues": colleagues(_person(request)),
        "form": form or RoleForm(),
        "refused": refused,
    }
    return render(request, "access/roles_on.html", context, status=status)
