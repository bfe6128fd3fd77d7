"""Background jobs of runs: grade one, and try the canaries."""

from __future__ import annotations

import re
from functools import partial

from django.urls import reverse

from adjudication.grading.canaries import ground
from adjudication.grading.canaries.run import run as run_canaries
from adjudication.grading.decide import decide
from adjudication.grading.grader import grade
from adjudication.grading.intake import from_tree
from adjudication.grading.pristine import NotGradable
from adjudication.grading.terms import build_terms
from adjudication.grading.watching import Step
from adjudication.management.grading import machine_grader
from adjudication.runs.actions.publish_run import NoLongerOpen, publish_run
from adjudication.runs.actions.record_badge import record_badge
from adjudication.runs.machine import grader_for
from adjudication.runs.models import GradingRun
from adjudication.runs.terms import told_by, untold_of, untold_terms
from curation.format.archive import Tree
from curation.format.findings import FormatError
from curation.format.instance import load_files
from curation.instances.actions.publish_terms import publish_terms
from curation.instances.models import Revision
from workbench.commands import WrongUse
from workbench.content.trees import read_tree
from workbench.jobs import JobFailed, JobRun, declare
from workbench.ui.templatetags.ui import plural

# Colours and cursor movements of terminals, and every control character but the tab.
_ESCAPES = re.compile(
    r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|.)|[\x00-\x08\x0a-\x1f\x7f-\x9f]"
)


# More than a line of a log takes.
_LONGEST = 20_000


def tell(job: JobRun, step: Step) -> None:
    """Show a step of a grading: a line of the job's log, and how far it is in hundredths."""
    words = plain(step.words)
    job.progress(step.share, 100, f"{step.name}: {words}"[:300])
    job.log(f"{step.name:<8}  {words}")


def plain(text: str) -> str:
    """Return `text` on one line, without what moves cursors or changes colours."""
    text = text[:_LONGEST].replace("\r\n", "\n").replace("\n", " ⏎ ")
    return _ESCAPES.sub("", text)


@declare("grade", title="Grade", queue="grading", limit_s=3600)
def grade_run(job: JobRun, *, run_id: int) -> None:
    """Grade one run. All that it writes is written in the finishing transaction; a killed attempt leaves nothing."""
    run = GradingRun.objects.select_related(
        "submission__files", "revision__snapshot", "instance", "adaptation__snapshot"
    ).get(pk=run_id)
    if run.done:
        raise JobFailed(f"{run} has its verdict already.")
    job.progress(0, 0, "reading the submission")
    try:
        built = run.adaptation.snapshot if run.adaptation else run.revision.snapshot
        instance = load_files(read_tree(built), run.instance.slug)
        files = Tree("submission", read_tree(run.submission.files))
        taken = from_tree(instance, run.submission.mode, files)
        grader = grader_for(instance)
        case = grade(
            grader,
            instance,
            run.submission.mode,
            taken,
            watch=partial(tell, job),
            terms=untold_terms(run, grader),
        )
        verdict = decide(case)
    except (FormatError, NotGradable, WrongUse) as error:
        raise JobFailed(f"{run.instance} cannot be graded: {error}") from None
    passed = sum(spec.passed for spec in verdict.specs)
    tell(job, Step("decide", f"{passed} of {len(verdict.specs)} specs passed", 1, 1))
    with job.finishing() as finish:
        try:
            done = publish_run(run, case, verdict)
        except NoLongerOpen as error:
            raise JobFailed(str(error)) from None
        told = f"{done.passed_count} of {done.spec_count} specs passed"
        if done.purpose == GradingRun.GRADING and not done.is_current:
            told += f" on r{done.revision.number}; it does not count"
        finish(
            result={"passed": done.passed_count, "specs": done.spec_count},
            summary=told,
            link=reverse("runs:detail", args=[done.pk]),
        )


@declare("compile", title="Compile", queue="grading", limit_s=3600)
def compile_revision(job: JobRun, *, revision_id: int) -> None:
    """Build the files of a revision and publish what its definitions compile to; a killed attempt leaves nothing."""
    revision = Revision.objects.select_related("snapshot", "instance").get(
        pk=revision_id
    )
    try:
        instance = load_files(read_tree(revision.snapshot), revision.instance.slug)
        grader = grader_for(instance)
        built = build_terms(
            grader.workshop,
            grader.cache,
            instance,
            untold_of(revision, grader),
            partial(tell, job),
        )
    except (FormatError, NotGradable, WrongUse) as error:
        raise JobFailed(f"{revision} cannot be compiled: {error}") from None
    with job.finishing() as finish:
        told = publish_terms(revision, told_by(grader, built.terms, built.failed))
        words = f"{plural(told, 'definition')} told of"
        if built.failed:
            files = plural(len(built.failed), "file")
            words += f"; {files} not built: {', '.join(built.failed)}"
        finish(
            result={"definitions": told, "failed": built.failed},
            summary=words[:300],
            link=reverse("instances:detail", args=[revision.instance.slug]),
        )


@declare("canaries", title="Try the canaries", queue="grading", limit_s=7200)
def try_canaries(job: JobRun, *, lean: str = "") -> None:
    """Grade the canaries on pocket Lean, or on the toolchain of elan called `lean`, and record the badge."""
    try:
        grader = machine_grader(ground.instance(lean))
        job.log(f"with {grader.toolchain.kind} {grader.toolchain.version}")
        document = run_canaries(grader)
    except (NotGradable, WrongUse) as error:
        raise JobFailed(str(error)) from None
    with job.finishing() as finish:
        badge = record_badge(job.job.owner, grader, document)
        finish(result={"badge": badge.pk, "ok": badge.ok}, summary=str(badge))
