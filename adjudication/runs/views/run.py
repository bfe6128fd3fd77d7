"""The list of runs, one run, two runs beside each other, and what can be taken away."""

from __future__ import annotations

import uuid
from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from adjudication.runs.models import GradingRun
from adjudication.runs.recheck import recheck_archive
from adjudication.runs.selectors import run_page
from adjudication.runs.selectors.badges import badge_for, publishable_now
from adjudication.runs.selectors.compare import (
    CHANGE_TONES,
    CHANGES,
    SAME,
    compare_runs,
)
from adjudication.runs.selectors.runs import RunFilter, listed_runs, run_facets
from adjudication.runs.selectors.slot_context import slot_context
from adjudication.runs.selectors.visible import visible_runs
from adjudication.runs.views.submissions import may_submit
from workbench.access.models import User
from workbench.access.rights import get_visible_or_404, teams_with
from workbench.access.roles import MAINTAIN
from workbench.jobs.actions import may_stop
from workbench.jobs.selectors import log_of, why_waiting
from workbench.numbers import whole_number
from workbench.ui.paging import count_up_to, page_by_key
from workbench.ui.parts import Tab

ALL = ""


@require_safe
@login_required
def run_list(request: HttpRequest) -> HttpResponse:
    """Runs with facets, newest first; what is listed can be graded again as a set."""
    user = request.user
    assert isinstance(user, User)  # login_required
    wanted = RunFilter.from_query(request.GET)
    rows = listed_runs(user, wanted)
    teams = list(teams_with(user, MAINTAIN))
    current = (
        rows.regradable().filter(submission__team__in=teams) if teams else rows.none()
    )
    context = {
        "page": page_by_key(rows.with_void(), request, ("-pk",)),
        "total": count_up_to(rows, 5000),
        "facets": run_facets(user, wanted),
        "filtered": bool(wanted.conditions()),
        "may_submit": may_submit(user),
        "teams": teams,
        "regradable": count_up_to(current, 5000),
        "form_key": uuid.uuid4().hex,
    }
    return render(request, "runs/list.html", context)


def shown_run(request: HttpRequest, run_id: int) -> GradingRun:
    """Return the run with all that its page names, or raise `Http404`."""
    rows = visible_runs(request.user).select_related(
        "submission__configuration",
        "submission__submitter",
        "instance__team",
        "revision",
        "job",
        "receipt",
        "regrade_set",
    )
    return get_visible_or_404(rows, pk=run_id)


@require_safe
@login_required
def detail(request: HttpRequest, run_id: int) -> HttpResponse:
    """What a run found, spec by spec; live while it runs."""
    run = shown_run(request, run_id)
    context = _run_context(request, run) | _spec_context(request, run)
    return render(request, "runs/detail.html", context)


def _run_context(request: HttpRequest, run: GradingRun) -> dict[str, Any]:
    assert isinstance(request.user, User)  # login_required
    job = run.job
    stop = job is not None and may_stop(request.user, job)
    before = request.GET.get("before", "")
    publishable, why_not = publishable_now(run)
    current = run.instance.revisions.filter(is_current=True).first()
    counting = run.submission.runs.filter(is_current=True).first()
    others = run.submission.runs.exclude(pk=run.pk).exclude(receipt_hash="")
    return {
        "run": run,
        "job": job,
        "may_stop": stop and job is not None and job.is_open,
        "waits": why_waiting(job) if job is not None else "",
        "log": log_of(
            job,
            whole_number(before),
            traces=stop,
        )
        if job
        else None,
        "whole_log": not before,
        "paused": request.GET.get("log") == "paused",
        "publishable": publishable,
        "why_not": why_not,
        "badge": badge_for(run.toolchain_digest, run.grader_digest)
        if run.done
        else None,
        "newer": current if current and current.number > run.revision.number else None,
        "counting": counting,
        "superseded": run.done and run.purpose == GradingRun.GRADING and not counting,
        "others": others.select_related("revision").order_by("-number")[:8],
        "previous": visible_runs(request.user)
        .filter(receipt_hash=run.previous_receipt, instance=run.instance_id)
        .first()
        if run.previous_receipt
        else None,
    }


def _spec_context(request: HttpRequest, run: GradingRun) -> dict[str, Any]:
    outcomes = list(run.outcomes.all())
    modules = run_page.modules_of_specs(run)
    receipt = run_page.receipt_of(run)
    wanted, opened = request.GET.get("outcome", ALL), request.GET.get("open", "")
    counts = run_page.outcome_counts(outcomes)
    found = next((one for one in outcomes if one.spec == opened), None)
    graded = run_page.module_rows(receipt, modules)
    return {
        "lights": run_page.light_summaries(run, outcomes),
        "modules": graded,
        "built": sum(row.tone != "bad" for row in graded),
        "empty": run_page.empty_words(run, receipt),
        "told": run_page.told_of(receipt, opened),
        "rows": run_page.spec_rows(outcomes, modules, wanted=wanted, opened=opened),
        "switch": [
            Tab("All", _with(request, outcome=None), wanted == ALL, len(outcomes)),
            *(
                Tab(name, _with(request, outcome=name), wanted == name, number)
                for name, number in counts
            ),
        ],
        "receipt": receipt,
        "alarms": run.alarms.splitlines(),
        "slot": slot_context(run, found, receipt) if found and receipt else None,
        "wanted": wanted,
    }


def _with(request: HttpRequest, **changes: str | None) -> str:
    """Return the address of this page with another filter, no row opened."""
    query = request.GET.copy()
    for name in ("open", *changes):
        query.pop(name, None)
    query.update({name: value for name, value in changes.items() if value is not None})
    return f"?{query.urlencode()}" if query else request.path


def _ended(request: HttpRequest, run_id: int) -> GradingRun:
    run = shown_run(request, run_id)
    if run.receipt is None:
        raise Http404("This run has no verdict yet, so there is nothing to take away.")
    return run


@require_safe
@login_required
def receipt(request: HttpRequest, run_id: int) -> HttpResponse:
    """The receipt of an ended run, byte for byte as it was written."""
    run = _ended(request, run_id)
    assert run.receipt is not None
    return _attached(
        bytes(run.receipt.data), f"run-{run.pk}-receipt.json", "application/json"
    )


@require_safe
@login_required
def recheck(request: HttpRequest, run_id: int) -> HttpResponse:
    """Everything that is needed to check the run again."""
    run = _ended(request, run_id)
    return _attached(recheck_archive(run), f"run-{run.pk}.zip", "application/zip")


def _attached(data: bytes, name: str, kind: str) -> HttpResponse:
    return HttpResponse(
        data,
        content_type=kind,
        headers={"Content-Disposition": f'attachment; filename="{name}"'},
    )


@require_safe
@login_required
def compare(request: HttpRequest, run_id: int, other_id: int) -> HttpResponse:
    """Two runs of one instance, spec by spec: the other one is the old one."""
    new, old = shown_run(request, run_id), shown_run(request, other_id)
    if new.instance_id != old.instance_id:
        raise Http404("These runs are about different instances.")
    everything = compare_runs(old, new)
    wanted = request.GET.get("change", "")
    counts = {kind: sum(one.kind == kind for one in everything) for kind in CHANGES}
    different = len(everything) - counts[SAME]
    rows = [
        one
        for one in everything
        if wanted in ("all", one.kind) or (not wanted and one.kind != SAME)
    ]
    switch = [
        Tab("Changed", request.path, not wanted, different),
        *(
            Tab(words, f"?change={kind}", wanted == kind, counts[kind])
            for kind, words in CHANGES.items()
        ),
        Tab("All", "?change=all", wanted == "all", len(everything)),
    ]
    context = {
        "new": new,
        "old": old,
        "rows": rows,
        "switch": switch,
        "tones": CHANGE_TONES,
    }
    return render(request, "runs/compare.html", context)
