"""Quotas and retention of submissions, and what is checked after a restore."""

from __future__ import annotations

import json
from datetime import timedelta

from django.test import override_settings
from django.utils import timezone

from adjudication import restored, upkeep
from adjudication.runs.models import GradingRun, Refusal
from tests.adjudication.grading.test_receipt import made as made_receipt
from tests.adjudication.runs.made import make_configuration, make_run, make_submission
from tests.curation.instances.made import InstanceCase
from workbench.content.models import Blob
from workbench.content.trees import store_blobs
from workbench.upkeep.disk import NoRoom
from workbench.upkeep.retention import Removed


class QuotaTest(InstanceCase):
    def setUp(self) -> None:
        super().setUp()
        self.revision = self.instance.revisions.get(is_current=True)
        make_submission(self.revision, make_configuration(self.team))

    @override_settings(TEAM_SUBMISSIONS_GB=1)
    def test_what_fits_is_taken(self) -> None:
        upkeep.demand_quota(self.team.pk, 1000)

    @override_settings(TEAM_SUBMISSIONS_GB=1)
    def test_one_too_many_is_refused_with_the_figures(self) -> None:
        with self.assertRaisesMessage(NoRoom, "1.0 GB are allowed"):
            upkeep.demand_quota(self.team.pk, 10**9)
        upkeep.demand_quota(self.other_team.pk, 10**9)

    @override_settings(KEEP_REFUSALS_DAYS=90)
    def test_old_refusals_go(self) -> None:
        for days in (91, 89):
            refusal = Refusal.objects.create(team=self.team, file_name=str(days), why="no")  # fmt: skip
            Refusal.objects.filter(pk=refusal.pk).update(
                created_at=timezone.now() - timedelta(days=days)
            )
        self.assertEqual(upkeep.refusals(True), Removed(1))
        self.assertEqual(upkeep.refusals(False), Removed(1))
        self.assertEqual(Refusal.objects.get().file_name, "89")


class RestoredTest(InstanceCase):
    def run_with(self, document: object, receipt_hash: str) -> GradingRun:
        data = json.dumps(document).encode()
        sha256 = f"{abs(hash(data)):064x}"[:64]
        store_blobs({sha256: data})
        revision = self.instance.revisions.get(is_current=True)
        run = make_run(make_submission(revision, make_configuration(self.team)), {})
        GradingRun.objects.filter(pk=run.pk).update(
            receipt=Blob.objects.get(pk=sha256), receipt_hash=receipt_hash
        )
        return run

    def test_a_good_receipt_is_counted(self) -> None:
        receipt = made_receipt()
        self.run_with(receipt, receipt["hash"])
        self.assertEqual(restored.receipts(), (1, []))

    def test_a_changed_one_is_named(self) -> None:
        receipt = made_receipt()
        run = self.run_with({**receipt, "previous": "00"}, receipt["hash"])
        seen, wrong = restored.receipts()
        self.assertEqual(seen, 1)
        self.assertIn(f"receipt of {run}: it was changed", wrong[0])
