"""Regrade sets: beside the current results until applied as one act."""

from __future__ import annotations

from unittest.mock import patch

from django.db import transaction

from adjudication.runs.actions.publish_run import make_current
from adjudication.runs.actions.regrade import (
    NothingChosen,
    WrongState,
    apply_regrade_set,
    cancel_regrade_set,
    make_regrade_set,
)
from adjudication.runs.models import GradingRun, Outcome, RegradeSet, Submission
from adjudication.standings.actions.make_set import make_set
from tests.adjudication.runs.made import make_configuration, make_run, make_submission
from tests.curation.instances.made import InstanceCase
from workbench.access.models import User
from workbench.access.rights import AccessDenied

SPEC = "spec_push_size"


class RegradeTest(InstanceCase):
    def setUp(self) -> None:
        super().setUp()
        self.revision = self.instance.revisions.get(is_current=True)
        agent = make_configuration(self.team)
        self.runs = [
            make_run(make_submission(self.revision, agent), {SPEC: "passed"}),
            make_run(make_submission(self.revision, agent), {SPEC: "sorry"}),
        ]

    def made(self, key: str = "k", user: User | None = None) -> RegradeSet:
        return make_regrade_set(
            user or self.maintainer.user,
            self.team,
            self.runs,
            title="New toolchain",
            reason="the reader changed",
            key=key,
        )

    def end(self, run: GradingRun, outcome: str) -> None:
        """Give `run` a verdict as its job would."""
        last = GradingRun.objects.ended().first()
        passed = int(outcome == "passed")
        GradingRun.objects.filter(pk=run.pk).update(
            receipt_hash=f"{run.pk}" * 3,
            previous_receipt=last.receipt_hash if last else "",
            spec_count=1,
            passed_count=passed,
            full_solve=bool(passed),
        )
        Outcome.objects.create(run=run, spec=SPEC, position=0, outcome=outcome)
        assert run.job is not None
        type(run.job).objects.filter(pk=run.job.pk).update(
            state="done", finished_at=run.created_at
        )

    def test_it_queues_one_run_a_submission_and_changes_nothing_yet(self) -> None:
        found = self.made()
        self.assertEqual(found.runs.count(), 2)
        self.assertEqual(found.runs.under_way().count(), 2)
        current = GradingRun.objects.filter(is_current=True)
        self.assertEqual({run.pk for run in current}, {run.pk for run in self.runs})
        self.assertEvent("regrade.made", by=self.maintainer.user, about=found, runs=2)

    def test_the_same_form_makes_one_set(self) -> None:
        self.assertEqual(self.made(), self.made())
        self.assertEqual(GradingRun.objects.count(), 4)

    def test_it_applies_all_at_once_and_standings_follow(self) -> None:
        board = make_set(self.maintainer.user, self.team, "All", [self.instance])
        self.assertEqual(board.cells.get().passed, 1)
        found = self.made()
        for run in found.runs.all():
            self.end(run, "axiom")
        done = apply_regrade_set(self.maintainer.user, found)
        self.assertEqual((done.current, done.left), (2, 0))
        self.assertEqual(board.cells.get().passed, 0)
        self.assertEqual(apply_regrade_set(self.maintainer.user, found).current, 2)
        self.assertEqual(
            set(GradingRun.objects.filter(is_current=True)), set(found.runs.all())
        )

    def test_nothing_is_applied_when_one_run_cannot_be(self) -> None:
        found = self.made()
        for run in found.runs.all():
            self.end(run, "axiom")
        calls = []

        def second_fails(run: GradingRun) -> None:
            calls.append(run)
            if len(calls) == 2:
                raise RuntimeError("in the middle")
            make_current(run)

        with (
            patch("adjudication.runs.actions.regrade.make_current", second_fails),
            self.assertRaises(RuntimeError),
            transaction.atomic(),
        ):
            apply_regrade_set(self.maintainer.user, found)
        current = GradingRun.objects.filter(is_current=True)
        self.assertEqual({run.pk for run in current}, {run.pk for run in self.runs})

    def test_it_waits_for_runs_under_way(self) -> None:
        found = self.made()
        with self.assertRaisesMessage(WrongState, "2 runs"):
            apply_regrade_set(self.maintainer.user, found)

    def test_cancelling_leaves_nothing(self) -> None:
        found = self.made()
        cancel_regrade_set(self.maintainer.user, found)
        self.assertFalse(found.runs.under_way().exists())
        with self.assertRaises(WrongState):
            apply_regrade_set(self.maintainer.user, found)

    def test_what_was_retired_meanwhile_is_left_out(self) -> None:
        found = self.made()
        kept, retired = found.runs.order_by("pk")
        self.end(kept, "axiom")
        self.end(retired, "axiom")
        Submission.objects.filter(pk=retired.submission_id).update(hidden=True)
        page = self.maintainer.get(found.get_absolute_url())
        self.assertContains(page, "1 run of what was retired since is left out")
        self.assertNotContains(page, retired.get_absolute_url())
        done = apply_regrade_set(self.maintainer.user, found)
        self.assertEqual((done.current, done.left), (1, 1))
        current = GradingRun.objects.filter(is_current=True)
        self.assertEqual({run.pk for run in current}, {kept.pk, self.runs[1].pk})

    def test_a_set_of_which_all_was_retired_says_so_and_can_be_cancelled(self) -> None:
        found = self.made()
        for run in found.runs.all():
            self.end(run, "axiom")
        Submission.objects.update(hidden=True)
        with self.assertRaisesMessage(WrongState, "2 of its submissions were retired"):
            apply_regrade_set(self.maintainer.user, found)
        page = self.maintainer.get(found.get_absolute_url())
        self.assertContains(page, "No run of it is left")
        self.assertNotContains(page, "Make these results count")
        cancel_regrade_set(self.maintainer.user, found)

    def test_a_set_whose_runs_are_gone_says_so_too(self) -> None:
        found = self.made()
        found.runs.all().delete()
        self.assertContains(
            self.maintainer.get(found.get_absolute_url()), "No run of it is left"
        )
        with self.assertRaisesMessage(WrongState, "No run"):
            apply_regrade_set(self.maintainer.user, found)
        cancel_regrade_set(self.maintainer.user, found)

    def test_another_user_cannot_settle_it_without_the_right(self) -> None:
        found = self.made()
        for person in (self.curator, self.submitter, self.outsider):
            with self.assertRaises(AccessDenied):
                cancel_regrade_set(person.user, found)
            with self.assertRaises(AccessDenied):
                self.made(key="other", user=person.user)
        found.refresh_from_db()
        self.assertEqual(found.state, "open")

    def test_an_empty_choice_is_refused(self) -> None:
        self.runs = []
        with self.assertRaisesMessage(NothingChosen, "chooses 0 runs"):
            self.made()
