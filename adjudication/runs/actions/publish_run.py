"""Publish what a grading found: outcomes, lights and receipt, and what follows from them. Source: grading.md, step 11."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from django.db import transaction
from django.utils import timezone

from adjudication.grading.decide import Verdict
from adjudication.grading.grader import Case
from adjudication.grading.outcomes import GREEN, LIGHTS, RED, SpecVerdict
from adjudication.grading.receipt import make
from adjudication.runs.consequences import draw, published
from adjudication.runs.models import GradingRun, Outcome
from adjudication.runs.models.run import NOT_PROVEN
from adjudication.runs.terms import compiled
from curation.instances.actions.publish_terms import publish_terms
from curation.instances.locks import hold_instances
from curation.instances.models import Definition, Placement
from workbench.content.models import Blob
from workbench.content.trees import store_blobs
from workbench.events.log import record

_LETTERS = {GREEN: "g", RED: "r"}


class NoLongerOpen(Exception):
    """The run has its verdict already: what was found is not published a second time."""


@transaction.atomic
def publish_run(run: GradingRun, case: Case, verdict: Verdict) -> GradingRun:
    """Return `run` with its outcomes and receipt written. A first grading becomes current at once.

    Not so where its revision was superseded, or its submission retired, before it ended: then it says what it found, and
    counts for nothing until it is graded again.

    Called in the finishing transaction of its job. Raises `NoLongerOpen`.
    """
    # One chain of receipts an instance: whoever publishes for it waits here.
    hold_instances([run.instance_id])
    run = GradingRun.objects.select_for_update(no_key=True).get(pk=run.pk)
    if run.done:
        raise NoLongerOpen(f"{run} has its verdict already")
    document = make(
        case, verdict, previous=_last_hash(run), revision=str(run.revision.number)
    )
    _fill(run, document, verdict)
    run.save()
    Outcome.objects.bulk_create(_outcomes(run, verdict), batch_size=500)
    # Before anything is recorded: it moves entries of the queue.
    if (told := compiled(run, case)) is not None:
        publish_terms(run.revision, told)
    record(
        "run.graded",
        None,
        run,
        passed=run.passed_count,
        specs=run.spec_count,
        receipt=run.receipt_hash,
        alarms=list(verdict.alarms),
    )
    if run.purpose == GradingRun.GRADING and _may_count(run):
        make_current(run)
    for follow in published:
        follow(run)
    return run


def _may_count(run: GradingRun) -> bool:
    newest = run.instance.revisions.filter(pk=run.revision_id, is_current=True)
    return not run.submission.hidden and not _is_second_best(run) and newest.exists()


def _is_second_best(run: GradingRun) -> bool:
    """Return whether a run on an adaptation meets one on the revision itself, which goes on to count."""
    own = run.submission.runs.filter(is_current=True, adaptation=None)
    return run.adaptation_id is not None and own.exists()


def make_current(run: GradingRun) -> None:
    """Make `run` the one that scores count for its submission, and draw what follows. Part of an action that holds its instance."""
    GradingRun.objects.filter(submission=run.submission_id, is_current=True).exclude(
        pk=run.pk
    ).update(is_current=False)
    run.is_current = True
    run.save(update_fields=["is_current"])
    draw(run)


def _last_hash(run: GradingRun) -> str:
    """Return the hash of the newest receipt of the instance: the one that no other follows."""
    kept = GradingRun.objects.filter(instance=run.instance_id).ended()
    last = kept.order_by("-finished_at", "-pk").values_list("receipt_hash", flat=True)
    return last.first() or ""


def _fill(run: GradingRun, document: dict[str, Any], verdict: Verdict) -> None:
    text = json.dumps(document, ensure_ascii=False, indent=1).encode() + b"\n"
    digest = hashlib.sha256(text).hexdigest()
    store_blobs({digest: text})
    toolchain, sandbox = document["toolchain"], document["sandbox"]
    run.receipt = Blob.objects.defer("data").get(pk=digest)
    run.receipt_hash = document["hash"]
    run.previous_receipt = document["previous"]
    run.toolchain = f"{toolchain['kind']} {toolchain['version']}"
    run.toolchain_digest = toolchain["digest"]
    run.publishable = toolchain["publishable"]
    run.grader_digest = document["grader"]["digest"]
    run.sandbox = (
        sandbox["kind"] if sandbox["proven"] else f"{sandbox['kind']}{NOT_PROVEN}"
    )
    run.settings_digest = settings_digest(document)
    run.spec_count = len(verdict.specs)
    run.passed_count = sum(spec.passed for spec in verdict.specs)
    run.full_solve = verdict.full_solve
    run.alarms = "\n".join(verdict.alarms)
    run.seconds = document["seconds"]
    run.finished_at = timezone.now()


def settings_digest(document: dict[str, Any]) -> str:
    """Return the digest of what a score depends on beside the work: limits, policy, and which sandbox held it."""
    sandbox = document["sandbox"]
    held = [sandbox["kind"], sandbox["proven"], sandbox["limits"]]
    settings = [document["limits"], document["policy"], held]
    return hashlib.sha256(json.dumps(settings, sort_keys=True).encode()).hexdigest()


def letters(spec: SpecVerdict) -> str:
    """Return the lights of a spec as five letters."""
    return "".join(
        _LETTERS.get(spec.lights[name].state, "-") if name in spec.lights else "-"
        for name in LIGHTS
    )


def _outcomes(run: GradingRun, verdict: Verdict) -> list[Outcome]:
    placed = Placement.objects.filter(revision=run.revision_id, kind=Definition.SPEC)
    ids = dict(placed.values_list("definition__lean_name", "definition_id"))
    return [
        Outcome(
            run=run,
            definition_id=ids.get(spec.spec),
            spec=spec.spec,
            position=position,
            outcome=spec.outcome,
            route=spec.route,
            detail=spec.detail,
            lights=letters(spec),
            theorem=spec.theorem,
            statement=spec.statement,
            axioms="\n".join(spec.axioms),
            flags="\n".join(spec.flags),
        )
        for position, spec in enumerate(verdict.specs)
    ]
