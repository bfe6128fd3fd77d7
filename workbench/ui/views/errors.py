"""Error pages. What somebody typed into a form that failed is given back on the page, to copy or to send again."""

from __future__ import annotations

import logging
import sys
from urllib.parse import urlsplit

from django.http import HttpRequest, HttpResponse
from django.middleware.csrf import get_token
from django.shortcuts import render
from django.template.loader import render_to_string
from django.urls import reverse
from django_htmx.http import reswap, retarget, trigger_client_event

from workbench.databases import is_about_the_connection
from workbench.events.correlation import current_correlation
from workbench.ui.answers import is_htmx, kept_text

logger = logging.getLogger(__name__)

# The same for who lost a role while the page was open and for who never had one: it confirms nothing.
_LOST = (
    "What this was sent to is gone, or you may not see it or work on it any more. Nothing was done or saved: keep what "
    "you wrote, and ask an admin of the team for your role."
)


def bad_request(
    request: HttpRequest, exception: Exception | None = None
) -> HttpResponse:
    words = _said(exception) or "The address or the form could not be read."
    return _problem(request, 400, "This request could not be read", words)


def forbidden(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    words = (
        _said(exception) or "Your roles do not allow this. Ask an admin of the team."
    )
    return _problem(request, 403, "You may not do this", words)


def not_found(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    words = (
        _said(exception)
        or "There is nothing at this address, or it is not yours to see."
    )
    if request.method != "POST":
        return _problem(request, 404, "Nothing here", words)
    return _problem(request, 404, "Not there for you", _LOST)


def unavailable(request: HttpRequest, words: str) -> HttpResponse:
    """Something that this page needs does not answer at present."""
    return _problem(request, 503, "Not available at present", words)


def no_room(request: HttpRequest, exception: Exception) -> HttpResponse:
    """The disk is nearly full: nothing new is begun, what is there stays whole."""
    return _problem(request, 507, "There is no room", str(exception))


def csrf_failed(request: HttpRequest, reason: str = "") -> HttpResponse:
    """The page was older than the session (another tab logged in or out), or another site sent the form."""
    if came_from_here(request):
        words = "The page was older than your log-in, so the form was not accepted. Nothing was saved; send it again."
        response = _problem(request, 403, "Please send it once more", words, again=True)
        return trigger_client_event(
            response, "freshToken", {"value": get_token(request)}
        )
    words = (
        "The form came from another site, so it was not accepted. Nothing was saved."
    )
    return _problem(request, 403, "This form was not accepted", words)


def session_ended(request: HttpRequest, login_url: str) -> HttpResponse:
    """Nobody is logged in (any more) and a form or fragment was sent: keep the text, offer the log-in beside it."""
    words = "Your session has ended. Nothing was saved: log in in a new tab, then send it again."
    return _problem(
        request,
        401,
        "You are logged out",
        words,
        again=came_from_here(request),
        login_url=login_url,
    )


def server_error(request: HttpRequest) -> HttpResponse:
    """Stands alone: neither the database nor the session may be there."""
    correlation = current_correlation()
    error = sys.exc_info()[1]
    away = error is not None and is_about_the_connection(error)
    logger.error(
        "%s %s %s, correlation %s",
        request.method,
        request.path,
        "got no connection to the database" if away else "broke",
        correlation,
    )
    if away:
        status, title = 503, "The database does not answer"
        words = "It is away, or too many ask it at once. Nothing of this request was saved: send it again in a moment."
    else:
        status, title = 500, "Something broke here"
        words = "This is a fault of the workbench, not yours. Nothing of this request was saved."
    if is_htmx(request):
        words += f" It is logged under {correlation}."
    context = {
        "correlation": correlation,
        "kept": kept_text(request),
        "path": request.path,
        "status": status,
        "title": title,
        "words": words,
    }
    if is_htmx(request):
        return _placed(
            HttpResponse(
                render_to_string("errors/fragment.html", context), status=status
            )
        )
    return HttpResponse(render_to_string("errors/500.html", context), status=status)


def came_from_here(request: HttpRequest) -> bool:
    """Return whether the browser says that a page of this site sent the request.

    Only then may a form be offered again with a fresh token: otherwise one click would finish what another site began.
    """
    fetch_site = request.headers.get("Sec-Fetch-Site")
    if fetch_site is not None:
        return fetch_site in ("same-origin", "none")
    sender = request.headers.get("Origin") or request.headers.get("Referer") or ""
    return urlsplit(sender).netloc == request.get_host()


def _said(exception: Exception | None) -> str:
    """The words of an exception that were written for people (the resolver's 404 carries a dict instead)."""
    first = exception.args[0] if exception is not None and exception.args else ""
    return first if isinstance(first, str) else ""


def _problem(
    request: HttpRequest,
    status: int,
    title: str,
    words: str,
    *,
    again: bool = False,
    login_url: str = "",
) -> HttpResponse:
    context = {
        "title": title,
        "words": words,
        "status": status,
        "again": again,
        "login_url": login_url,
        "home_url": reverse("home"),
    }
    if is_htmx(request):
        return _placed(render(request, "errors/fragment.html", context, status=status))
    return render(
        request,
        "errors/problem.html",
        context | {"kept": kept_text(request)},
        status=status,
    )


def _placed(response: HttpResponse) -> HttpResponse:
    """Have htmx put the fragment where problems are shown, so that the form itself stays as it was typed."""
    return reswap(retarget(response, "[data-problems]"), "innerHTML")
