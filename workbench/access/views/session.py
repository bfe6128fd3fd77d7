"""Log in and out."""

from __future__ import annotations

from django.contrib.auth import login, logout
from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST

from workbench.access.forms import LoginForm
from workbench.ui.answers import done, safe_next


@login_not_required
@sensitive_post_parameters()
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def log_in(request: HttpRequest) -> HttpResponse:
    """Too many failures are answered by axes (templates/access/locked.html), whatever this view says."""
    after = safe_next(request, reverse("home"))
    if request.user.is_authenticated:
        return redirect(after)
    form = LoginForm(request, request.POST or None)
    if request.method == "POST" and form.is_valid():
        user = form.get_user()
        first_time = user.last_login is None
        login(request, user)
        if first_time:
            return done(
                request,
                reverse("preferences") + "#password",
                "Welcome. Please choose a password of your own.",
            )
        return redirect(after)
    status = 422 if request.method == "POST" else 200
    return render(
        request, "access/login.html", {"form": form, "next": after}, status=status
    )


@login_not_required
@require_POST
def log_out(request: HttpRequest) -> HttpResponse:
    logout(request)
    return done(request, reverse("login"), "You are logged out.")
