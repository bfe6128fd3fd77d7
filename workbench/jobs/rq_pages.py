"""django-rq's own pages, inside our frame and for the operator only. Addresses below /operations/rq/.

They show and change messages, never jobs: whatever is done there, a job is begun by a claim and its row is the truth.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import redis
from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import include, path
from django_rq import cron_views, stats_views, views
from django_rq.urls import get_admin_urlpatterns
from rq import Queue
from rq.exceptions import NoSuchJobError

from workbench.access.models import User
from workbench.jobs.engines.rq import broker
from workbench.ui.views.errors import unavailable

View = Callable[..., HttpResponse]


def operator_only(view: View) -> View:
    """Have `view` exist for the operator only, and say it in words when Redis does not answer."""

    @wraps(view)
    def wrapped(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if not (isinstance(request.user, User) and request.user.is_superuser):
            raise Http404
        # Their views ask for staff, of which we have none but the operator; nobody saves this.
        request.user.is_staff = True
        try:
            list_lanes()
            return view(request, *args, **kwargs)
        except (IndexError, NoSuchJobError):  # a queue or a message that is not there
            raise Http404 from None
        except redis.RedisError as error:
            return unavailable(request, f"Redis is out of reach: {error}.")

    return wrapped


def list_lanes() -> None:
    """Have django-rq list the lanes of jobs with needs as well, which exist once a message was in them."""
    for queue in Queue.all(connection=broker()):
        settings.RQ_QUEUES.setdefault(queue.name, {"URL": settings.REDIS_URL})


def _context(request: HttpRequest) -> dict[str, Any]:
    """Return what Django's admin would add to every page, were it installed: nothing that our frame needs."""
    return {}


for _module in (cron_views, stats_views, views):
    vars(_module)["each_context"] = _context


def _home(request: HttpRequest) -> HttpResponse:
    return redirect("operations")


# Their pages link to the home of Django's admin, which we do not have.
_admin = ([path("", _home, name="index")], "admin")
_figures = path("stats.json", operator_only(stats_views.stats_json), name="home_json")
urlpatterns = [
    path("home/", include(_admin)),
    path(
        "",
        include(
            (
                [_figures, *get_admin_urlpatterns(view_wrapper=operator_only)],
                "django_rq",
            )
        ),
    ),
]
