"""What other pages show of runs: the count in the top bar, the home and the operations page, search, tabs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.db.models import Q
from django.http import HttpRequest

from adjudication.runs.machine import needs_of
from adjudication.runs.models import Adaptation, GradingRun
from adjudication.runs.selectors.badges import newest_badges
from adjudication.runs.selectors.visible import visible_runs, visible_submissions
from curation.instances.models import Revision
from workbench.access.models import User
from workbench.jobs.models import Job
from workbench.numbers import whole_number
from workbench.ui.search import Hit

_COUNTED, _SHOWN = 1000, 8


def under_way(request: HttpRequest) -> int | str | None:
    """Return how many runs wait or run that this person may see; None for none. One query."""
    if not isinstance(request.user, User):
        return None
    number = (
        visible_runs(request.user).shown().under_way().order_by()[:_COUNTED].count()
    )
    return f"{_COUNTED - 1}+" if number == _COUNTED else number or None


def home_panel(request: HttpRequest) -> dict[str, Any] | None:
    """Return the runs under way and the newest verdicts. Two queries; nothing where no run was ever made."""
    if not isinstance(request.user, User):
        return None
    rows = (
        visible_runs(request.user)
        .shown()
        .with_void()
        .select_related("submission__configuration", "instance", "job")
    )
    running = list(rows.under_way().order_by("-job__state", "pk")[:_SHOWN])
    ended = list(rows.ended().order_by("-finished_at", "-pk")[: _SHOWN - len(running)])
    return {"rows": [*running, *ended]} if running or ended else None


def operations_panel(request: HttpRequest) -> dict[str, Any] | None:
    """Return the newest canary badges. One query."""
    return {"badges": newest_badges()} if isinstance(request.user, User) else None


def find_runs(user: User, words: str, limit: int) -> Sequence[Hit]:
    """Return runs by number ("1873", "run 1873")."""
    number = whole_number(words.lower().removeprefix("run").strip())
    if number is None:
        return []
    found = (
        visible_runs(user)
        .with_void()
        .filter(pk=number)
        .select_related("submission__configuration", "instance")
    )
    return [
        Hit(str(run), run.get_absolute_url(), run.instance.slug, _of(run))
        for run in found[:limit]
    ]


def find_submissions(user: User, words: str, limit: int) -> Sequence[Hit]:
    """Return submissions by configuration or file name, newest first."""
    named = (
        Q(configuration__harness__icontains=words)
        | Q(configuration__model__icontains=words)
        | Q(file_name__icontains=words)
    )
    found = (
        visible_submissions(user)
        .filter(named)
        .select_related("configuration", "instance")
    )
    return [
        Hit(
            f"submission {one.pk}",
            one.get_absolute_url(),
            one.instance.slug,
            str(one.configuration),
        )
        for one in found.order_by("-pk")[:limit]
    ]


def _of(run: GradingRun) -> str:
    words = (
        "void"
        if run.is_void
        else f"{run.passed_count} of {run.spec_count} specs"
        if run.state == Job.DONE
        else run.state
    )
    return f"{run.submission.configuration}, {words}"


def adaptation_panel(revision: Revision) -> dict[str, Any] | None:
    """Return the panel about pocket Lean; nothing for an instance that is written for it."""
    if any(need.startswith("pocket:") for need in needs_of(revision)):
        return None
    made = Adaptation.objects.filter(revision=revision).first()
    return {"edits": made.edits.count() if made else 0}


def terms_panel(revision: Revision) -> dict[str, Any]:
    """Return the panel about what the definitions of `revision` compile to: the page has counted that. No query."""
    return {}
