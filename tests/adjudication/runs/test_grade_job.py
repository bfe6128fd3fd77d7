"""Submissions graded by the job, with a real Lean: from a file to outcomes, receipt and current run."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path

import pytest
from django.db import IntegrityError, transaction
from django.urls import reverse

from adjudication.grading.intake import take_in
from adjudication.grading.receipt import verify
from adjudication.grading.watching import STEPS
from adjudication.runs.actions.name_configuration import name_configuration
from adjudication.runs.actions.submit_artifact import submit_artifact
from adjudication.runs.models import GradingRun
from curation.format.instance import load
from curation.format.packed import read_tree
from curation.instances.actions.import_revision import import_revision
from tests.adjudication.runs.made import grading_here
from tests.case import WorkbenchTestCase
from workbench.events.models import Event
from workbench.jobs.capabilities import found_here
from workbench.jobs.perform import run_waiting

ROOT = Path(__file__).parents[3]
FIXTURES = ROOT / "fixtures"


@pytest.mark.lean
class GradeJobTest(WorkbenchTestCase):
    def setUp(self) -> None:
        super().setUp()
        self.enterContext(grading_here())

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
        self.assertEqual(run.toolchain_digest, document["toolchain"]["digest"])
        self.look_at(run)
        with self.assertRaises(IntegrityError), transaction.atomic():
            GradingRun.objects.create(
                submission=run.submission,
                instance=run.instance,
                revision=run.revision,
                number=2,
                is_current=True,
            )

    def look_at(self, run: GradingRun) -> None:
        """The log told every step, the open row shows the slot, and what is downloaded is what was kept."""
        assert run.job is not None
        assert run.receipt is not None
        log = "\n".join(
            run.job.events.filter(kind="log").values_list("text", flat=True)
        )
        for step in STEPS:
            self.assertIn(f"\n{step}" if step != "extract" else step, log)
        spec = run.outcomes.all()[0].spec
        page = self.reader.get(run.get_absolute_url(), {"open": spec})
        shown = "\n".join(line.text for line in page.context["slot"].lines)
        self.assertIn("@start proof def=prove_", shown)
        self.assertTrue(page.context["modules"])
        receipt = self.reader.get(reverse("runs:receipt", args=[run.pk])).content
        self.assertEqual(receipt, bytes(run.receipt.data))
        first, again = (
            self.reader.get(reverse("runs:recheck", args=[run.pk])).content
            for _ in range(2)
        )
        self.assertEqual(first, again)
        with zipfile.ZipFile(io.BytesIO(first)) as archive:
            self.assertEqual(archive.read("receipt.json"), receipt)
            names = set(archive.namelist())
        self.assertLess(
            {"README.txt", "submission/artifact.json", "instance/manifest.json"}, names
        )
