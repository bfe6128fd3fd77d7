"""Preferences: theme, keys, time zone, password."""

from __future__ import annotations

from django.contrib.auth import update_session_auth_hash
from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST

from workbench.access.actions.change_password import change_password
from workbench.access.actions.set_preferences import set_preferences
from workbench.access.forms import PasswordForm, PreferencesForm
from workbench.access.models import User
from workbench.ui.answers import done, is_htmx, safe_next
from workbench.ui.context import THEME_COOKIE, THEMES

_YEAR = 365 * 24 * 3600


@sensitive_post_parameters()
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def preferences(request: HttpRequest) -> HttpResponse:
    """Show and save; the two forms are told apart by the name of their button (`save`)."""
    user = request.user
    assert isinstance(user, User)
    passwords = request.POST.get("save") == "password"
    wishes = PreferencesForm(
        request.POST if request.POST and not passwords else None, instance=user
    )
    password = PasswordForm(user, request.POST if passwords else None)
    here = reverse("preferences")
    if wishes.is_bound and wishes.is_valid():
        set_preferences(User.objects.get(pk=user.pk), **wishes.cleaned_data)
        return done(request, here, "Your preferences are saved.")
    if password.is_bound and password.is_valid():
        change_password(user, password.cleaned_data["new_password1"])
        update_session_auth_hash(request, user)
        return done(
            request,
            here,
            "Your password is changed. Other sessions of yours have ended.",
        )
    failed = wishes.is_bound or password.is_bound
    context = {"wishes": wishes, "password": password}
    return render(
        request, "ui/preferences.html", context, status=422 if failed else 200
    )


@login_not_required
@require_POST
def switch_theme(request: HttpRequest) -> HttpResponse:
    """Change the theme from anywhere: kept with the account, or in this browser when nobody is logged in."""
    theme = request.POST.get("theme", "")
    if theme not in THEMES:
        return HttpResponse(
            f"theme: expected one of {', '.join(THEMES)}.",
            status=422,
            content_type="text/plain",
        )
    if isinstance(request.user, User):
        set_preferences(request.user, theme=theme)
    response = (
        HttpResponse(status=204)
        if is_htmx(request)
        else redirect(safe_next(request, reverse("home")))
    )
    response.set_cookie(
        THEME_COOKIE,
        theme,
        max_age=_YEAR,
        samesite="Lax",
        httponly=True,
        secure=request.is_secure(),
    )
    return response
