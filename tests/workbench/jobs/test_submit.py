from __future__ import annotations

from django.db import transaction

from tests.case import WorkbenchTestCase
from tests.workbench.jobs.made import ADD, fresh, said
from workbench.events.correlation import correlated
from workbench.jobs import submit
from workbench.jobs.actions import KeyTaken
from workbench.jobs.declared import UnknownJob, WrongArguments
from workbench.jobs.models import Job


class SubmitTest(WorkbenchTestCase):
    def test_it_puts_the_job_into_its_queue(self) -> None:
        job = submit("sample-add", owner=self.curator.user, team=self.team, args=ADD)
        row = fresh(job)
        self.assertEqual(
            (row.state, row.queue, row.attempt, row.max_attempts),
            ("queued", "interactive", 0, 3),
        )
        self.assertEqual(row.arguments, ADD)
        self.assertEqual(said(row), ["submitted by curator"])

    def test_it_is_recorded(self) -> None:
        with correlated() as correlation:
            job = submit(
                "sample-add", owner=self.curator.user, team=self.team, args=ADD
            )
        event = self.assertEvent(
            "job.submitted", by=self.curator.user, about=job, job="sample-add"
        )
        self.assertEqual(event.team, self.team)
        self.assertEqual(
            (event.correlation, job.correlation), (correlation, correlation)
        )
        self.assertFalse(event.implicit)

    def test_the_same_key_gives_the_same_job(self) -> None:
        first = submit("sample-add", owner=self.curator.user, args=ADD, key="k")
        with self.assertNoEvent():
            second = submit("sample-add", owner=self.curator.user, args=ADD, key="k")
        self.assertEqual(first.pk, second.pk)
        self.assertEqual(Job.objects.count(), 1)

    def test_jobs_without_a_key_are_all_different(self) -> None:
        first = submit("sample-add", owner=None, args=ADD)
        self.assertNotEqual(first.pk, submit("sample-add", owner=None, args=ADD).pk)

    def test_a_key_belongs_to_one_kind_of_job(self) -> None:
        submit("sample-add", owner=None, args=ADD, key="k")
        with self.assertRaises(KeyTaken):
            submit("sample-nothing", owner=None, key="k")

    def test_needs_come_on_top_of_the_declared_ones(self) -> None:
        job = submit("sample-needy", owner=None, needs=["python-runner", "lean:4.29.1"])
        self.assertEqual(job.needs, "lean:4.29.1 python-runner")

    def test_it_says_what_it_is_about(self) -> None:
        job = submit("sample-nothing", owner=None, about=self.team)
        self.assertEqual(
            (job.about_kind, job.about_id, job.about_name),
            ("team", str(self.team.pk), "Logicians"),
        )
        self.assertIsNone(job.instance_id)

    def test_it_refuses_what_it_cannot_run(self) -> None:
        for error, name, args in (
            (UnknownJob, "sample-no", {}),
            (WrongArguments, "sample-add", {"a": 1}),
            (ValueError, "sample-add", {"a": 1, "b": {1, 2}}),
            (ValueError, "sample-add", {"a": 1, "b": float("nan")}),
        ):
            with (
                self.subTest(name=name, args=args),
                self.assertRaises(error),
                self.assertNoEvent(),
            ):
                submit(name, owner=None, args=args)
        self.assertFalse(Job.objects.exists())

    def test_it_is_gone_with_the_transaction_around_it(self) -> None:
        with self.assertRaises(ZeroDivisionError), transaction.atomic():
            submit("sample-add", owner=None, args=ADD)
            raise ZeroDivisionError
        self.assertFalse(Job.objects.exists())
