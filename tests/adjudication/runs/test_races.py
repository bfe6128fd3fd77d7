"""Who submits at the same moment: one row, one run."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

from django.db import connection, transaction

from adjudication.grading.intake import from_artifact
from adjudication.runs.actions.regrade import apply_regrade_set, make_regrade_set
from adjudication.runs.actions.submit_artifact import submit_artifact
from adjudication.runs.models import GradingRun, RegradeSet, Submission
from curation.format.instance import load_files
from curation.instances.models import Revision
from tests.adjudication.runs.made import make_configuration, make_run, make_submission
from tests.adjudication.runs.test_pages import artifact
from tests.case import CommittedTestCase
from tests.curation.instances.made import import_tiny, tiny
from workbench.events.models import Event

THREADS = 8


class RaceTest(CommittedTestCase):
    def setUp(self) -> None:
        super().setUp()
        done = import_tiny(self.curator.user, self.team)
        self.revision: Revision = done.revision
        self.agent = make_configuration(self.team)

    def test_the_same_work_from_eight_at_once_is_one_submission_and_one_run(
        self,
    ) -> None:
        taken = from_artifact(load_files(tiny(), "tiny"), "proof", artifact())
        together = Barrier(THREADS)

        def hand_in(_: int) -> tuple[int, bool]:
            try:
                together.wait()
                done = submit_artifact(
                    self.submitter.user, self.agent, self.revision, taken
                )
                return done.submission.pk, done.new
            finally:
                connection.close()

        with ThreadPoolExecutor(THREADS) as pool:
            results = list(pool.map(hand_in, range(THREADS)))
        self.assertEqual(len({pk for pk, _ in results}), 1)
        self.assertEqual(sum(new for _, new in results), 1)
        self.assertEqual(Submission.objects.count(), 1)
        self.assertEqual(GradingRun.objects.count(), 1)
        self.assertEqual(Event.objects.filter(verb="submission.made").count(), 1)

    def test_a_set_that_two_apply_at_once_is_applied_once(self) -> None:
        with transaction.atomic():  # as a grading publishes
            old = make_run(
                make_submission(self.revision, self.agent),
                {"spec_push_size": "passed"},
            )
        made = make_regrade_set(
            self.maintainer.user, self.team, [old], title="t", reason="r", key="k"
        )
        new = made.runs.get()
        GradingRun.objects.filter(pk=new.pk).update(
            receipt_hash="x" * 64, previous_receipt=old.receipt_hash
        )
        together = Barrier(2)

        def settle(_: int) -> int:
            try:
                together.wait()
                return apply_regrade_set(
                    self.maintainer.user, RegradeSet.objects.get(pk=made.pk)
                ).current
            finally:
                connection.close()

        with ThreadPoolExecutor(2) as pool:
            self.assertEqual(list(pool.map(settle, range(2))), [1, 1])
        self.assertEqual(Event.objects.filter(verb="regrade.applied").count(), 1)
        self.assertTrue(GradingRun.objects.get(pk=new.pk).is_current)
