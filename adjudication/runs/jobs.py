"""Background jobs of runs."""

from __future__ import annotations

from django.urls import reverse

from adjudication.grading.decide import decide
from adjudication.grading.grader import grade
from adjudication.grading.intake import from_tree
from adjudication.grading.pristine import NotGradable
from adjudication.runs.actions.publish_run import NoLongerOpen, publish_run
from adjudication.runs.machine import grader_for
from adjudication.runs.models import GradingRun
from curation.format.archive import Tree
from curation.format.findings import FormatError
from curation.format.instance import load_files
from workbench.commands import WrongUse
from workbench.content.trees import read_tree
from workbench.jobs import JobFailed, JobRun, declare


@declare("grade", title="Grade", queue="grading", limit_s=3600)
def grade_run(job: JobRun, *, run_id: int) -> None:
    """Grade one run. All that it writes is written in the finishing transaction; a killed attempt leaves nothing."""
    run = GradingRun.objects.select_related(
        "submission__files", "revision__snapshot", "instance"
    ).get(pk=run_id)
    if run.done:
        raise JobFailed(f"{run} has its verdict already.")
    job.progress(0, 0, "reading the submission")
    try:
        instance = load_files(read_tree(run.revision.snapshot), run.instance.slug)
        files = Tree("submission", read_tree(run.submission.files))
        taken = from_tree(instance, run.submission.mode, files)
        case = grade(grader_for(instance), instance, run.submission.mode, taken)
        verdict = decide(case)
    except (FormatError, NotGradable, WrongUse) as error:
        raise JobFailed(f"{run.instance} cannot be graded: {error}") from None
    with job.finishing() as finish:
        try:
            done = publish_run(run, case, verdict)
        except NoLongerOpen as error:
            raise JobFailed(str(error)) from None
        finish(
            result={"passed": done.passed_count, "specs": done.spec_count},
            summary=f"{done.passed_count} of {done.spec_count} specs passed",
            link=reverse("runs:detail", args=[done.pk]),
        )
