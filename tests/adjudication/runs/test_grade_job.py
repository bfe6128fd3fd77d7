"""Submissions graded by the job, with a real Lean: from a file to outcomes, receipt and current run."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from django.db import IntegrityError, transaction

from adjudication.grading.intake import take_in
from adjudication.grading.receipt import verify
from adjudication.runs.actions.name_configuration import name_configuration
from adjudication.runs.actions.submit_artifact import submit_artifact
from adjudication.runs.models import GradingRun
from curation.format.instance import load
from curation.format.packed import read_tree
from curation.instances.actions.import_revision import import_revision
from tests.case import WorkbenchTestCase
from workbench.events.models import Event
from workbench.jobs.capabilities import found_here
from workbench.jobs.perform import run_waiting

FIXTURES = Path(__file__).parents[3] / "fixtures"


@pytest.mark.lean
class GradeJobTest(WorkbenchTestCase):
    def test_it_publishes_outcomes_and_a_receipt_once(self) -> None:
        loaded = load(read_tree(FIXTURES / "instances" / "ivalset"))
        revision = import_revision(self.curator.user, self.team, loaded).revision
        taken = take_in(loaded, "proof", FIXTURES / "submissions" / "ivalset" / "proof")
        agent = name_configuration(self.submitter.user, self.team, "Codex", "m", "high")
        first = submit_artifact(self.submitter.user, agent, revision, taken)
        again = submit_artifact(self.submitter.user, agent, revision, taken)
        self.assertTrue(first.new)
        self.assertFalse(again.new)
        self.assertEqual(first.run, again.run)
        run_waiting(found_here())
        run = GradingRun.objects.get()
        self.assertEqual(run.state, "done", run.job.error if run.job else "")
        missed = run.outcomes.exclude(outcome="passed").values_list("spec", "outcome")
        self.assertEqual(list(missed), [])
        self.assertTrue(run.full_solve)
        self.assertTrue(run.is_current)
        self.assertEqual(run.outcomes.count(), run.spec_count)
        self.assertEqual(
            set(run.outcomes.values_list("outcome", flat=True)), {"passed"}
        )
        self.assertFalse(run.outcomes.filter(definition=None).exists())
        assert run.receipt is not None
        document = json.loads(bytes(run.receipt.data))
        self.assertEqual(verify(document), [])
        self.assertTrue(
            Event.objects.filter(verb="run.graded", object_id=run.pk).exists()
        )
        with self.assertRaises(IntegrityError), transaction.atomic():
            GradingRun.objects.create(
                submission=run.submission,
                instance=run.instance,
                revision=run.revision,
                number=2,
                is_current=True,
            )
