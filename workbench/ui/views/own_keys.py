"""Keys as one likes them: each can be moved or taken away."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from workbench.access.actions.set_keys import set_keys
from workbench.access.models import User
from workbench.ui.answers import done
from workbench.ui.keymap import FIXED, Refused, bound, keymap, moved_keys

_LONGEST = 20


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def own_keys(request: HttpRequest) -> HttpResponse:
    """Show the keys in force and save others; what meets is refused with words, and what was typed stays."""
    user = request.user
    assert isinstance(user, User)
    here = reverse("own_keys")
    typed: dict[str, str] = {}
    problems: dict[str, str] = {}
    if request.method == "POST":
        if request.POST.get("defaults"):
            set_keys(user, {})
            return done(request, here, "All keys are as they were made.")
        typed = {
            key.name: request.POST.get(key.name, key.keys)[:_LONGEST] for key in keymap
        }
        try:
            set_keys(user, moved_keys(typed))
        except Refused as refused:
            problems = refused.problems
        else:
            return done(request, here, "Your keys are saved.")
    grouped: dict[str, list[dict[str, Any]]] = {}
    for key in bound(user.keys):
        if key.action not in FIXED:
            row = {
                "key": key,
                "value": typed.get(key.name, key.keys),
                "problem": problems.get(key.name, ""),
            }
            grouped.setdefault(key.scope, []).append(row)
    context = {"scopes": list(grouped.items()), "problems": problems}
    return render(request, "ui/own_keys.html", context, status=422 if problems else 200)
