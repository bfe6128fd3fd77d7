"""What the frame of every page needs. Nothing here is worked out before the template asks for it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from django.conf import settings
from django.http import HttpRequest

from workbench.access.models import User
from workbench.ui import keymap
from workbench.ui.navigation import places

THEME_COOKIE = "theme"
THEMES = dict(User.THEMES)


def shell(request: HttpRequest) -> dict[str, Callable[[], Any]]:
    """Return the navigation, theme and key map for base.html."""
    return {
        "navigation": partial(places, request),
        "theme": partial(theme_of, request),
        "themes": lambda: User.THEMES,
        "single_keys": lambda: getattr(request.user, "single_keys", True),
        "keymap": lambda: keymap.for_script(moved_by(request)),
        "key_scopes": lambda: keymap.scopes(moved_by(request)),
        "upload_limit_mb": lambda: settings.UPLOAD_LIMIT_MB,
    }


def moved_by(request: HttpRequest) -> dict[str, Any]:
    """Return the keys that the person moved."""
    user = getattr(request, "user", None)
    return user.keys if isinstance(user, User) else {}


def theme_of(request: HttpRequest) -> str:
    """Return the theme that the person chose, or whoever used this browser before logging in."""
    user = getattr(request, "user", None)
    chosen = (
        user.theme
        if isinstance(user, User)
        else request.COOKIES.get(THEME_COOKIE, "system")
    )
    return chosen if chosen in THEMES else "system"
