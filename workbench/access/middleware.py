"""Every page needs a log-in unless it says otherwise, and shows times in the reader's zone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from zoneinfo import ZoneInfo

from django.conf import settings
from django.contrib.auth.middleware import LoginRequiredMiddleware
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse
from django.shortcuts import resolve_url
from django.utils import timezone

from workbench.access.models import User
from workbench.ui.answers import is_htmx
from workbench.ui.views.errors import session_ended


class SignedInMiddleware(LoginRequiredMiddleware):
    """Sends visitors to the log-in; a form or a fragment that they sent is answered in place and loses no text."""

    def handle_no_permission(
        self, request: HttpRequest, view_func: Callable[..., Any]
    ) -> Any:
        login_url = resolve_url(settings.LOGIN_URL)
        if is_htmx(request) or request.method not in ("GET", "HEAD"):
            return session_ended(request, login_url)
        return redirect_to_login(request.get_full_path(), login_url)


class TimeZoneMiddleware:
    """Puts the time zone of the logged-in person in force."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        user = request.user
        name = (user.time_zone if isinstance(user, User) else "") or settings.TIME_ZONE
        try:
            zone = ZoneInfo(name)
        except (KeyError, ValueError, OSError):  # no longer in this machine's tables
            zone = ZoneInfo(settings.TIME_ZONE)
        with timezone.override(zone):
            return self.get_response(request)
