"""What pages of acts on many things have in common."""

from __future__ import annotations

from django.contrib import messages
from django.core.exceptions import BadRequest
from django.http import HttpRequest

from workbench.access.models import User
from workbench.access.selectors import NOBODY, colleagues
from workbench.bulk import Outcome
from workbench.ui.templatetags.ui import plural

_NAMED = 5


def say(request: HttpRequest, outcome: Outcome, noun: str, word: str) -> None:
    """Say on the next page how many things called `noun` are `word` now, and what was left out and why."""
    if outcome.done:
        number = plural(len(outcome.done), noun)
        messages.success(request, f"{number} {word}. It can be undone as one act.")
    if outcome.left:
        named = "; ".join(f"{name}: {why}" for name, why in outcome.left[:_NAMED])
        more = len(outcome.left) - _NAMED
        named += f"; and {more} more" if more > 0 else ""
        messages.warning(request, f"Left out: {named}.")


def assignee_named(user: User, name: str) -> User | None:
    """Return the colleague of `user` called `name`, or `user`; None for nobody in particular. Raises `BadRequest`."""
    if name == NOBODY:
        return None
    if name == user.username:
        return user
    found = next((one for one in colleagues(user) if one.username == name), None)
    if found is None:
        raise BadRequest("assignee: expected a person of one of your teams, or nobody.")
    return found
