from __future__ import annotations

from django.db.models import Q

from tests.case import WorkbenchTestCase
from tests.workbench.jobs.made import fresh, running_job, waiting_job
from workbench.events.models import Event
from workbench.jobs import JobRun, cancel
from workbench.jobs.lease import tell
from workbench.jobs.models import Job, JobEvent
from workbench.jobs.perform import run_waiting
from workbench.live.sight import sight_of
from workbench.live.tail import Cursor, Tail, event_pokes, job_pokes, missed, newest


class TailTest(WorkbenchTestCase):
    def test_it_reads_what_is_new_and_only_once(self) -> None:
        waiting_job()
        tail = Tail()
        self.assertEqual(tail.read(), [])
        job = waiting_job(owner=self.curator.user, team=self.team)
        pokes = tail.read()
        self.assertEqual([poke.source for poke in pokes], ["job", "event"])
        for poke in pokes:
            self.assertIn(f"job:{job.pk}", poke.topics)
            self.assertEqual(poke.team_id, self.team.pk)
        self.assertEqual(tail.read(), [])
        self.assertEqual(tail.cursor, newest())

    def test_a_row_that_becomes_visible_late_is_not_lost(self) -> None:
        job = running_job()
        before = JobEvent.objects.latest("pk").pk
        tail = Tail(late_ids=50)
        for pk in (
            before + 10,
            before + 4,
            before + 12,
        ):  # as on PostgreSQL, when transactions overlap
            JobEvent.objects.create(
                pk=pk,
                job=job,
                at=job.created_at,
                kind=JobEvent.LOG,
                attempt=1,
                text="x",
            )
            self.assertEqual([poke.number for poke in tail.read()], [pk])
        self.assertEqual(tail.read(), [])

    def test_what_it_remembers_does_not_grow(self) -> None:
        job = running_job()
        tail = Tail(late_ids=20)
        for _ in range(10):
            for _ in range(15):
                tell(job, JobEvent.LOG, "x")
            tail.read()
        self.assertLessEqual(len(tail._seen), 20)

    def test_an_instance_hears_of_its_jobs_and_events(self) -> None:
        job = waiting_job(owner=self.curator.user, team=self.team)
        Job.objects.filter(pk=job.pk).update(instance_id=7)
        (poke,) = job_pokes(Q(job=job))
        self.assertEqual(poke.topics, (f"job:{job.pk}", "jobs", "instance:7"))
        event = Event.objects.latest("number")
        (poke,) = event_pokes(Q(number=event.number))
        self.assertEqual(poke.topics, (f"job:{job.pk}", "events"))

    def test_how_a_job_ended_is_said_in_a_sentence(self) -> None:
        run_waiting()
        for name, args, expected in (
            ("sample-add", {"a": 1, "b": 2}, "Add {} is done: 1 + 2 = 3"),
            ("sample-nothing", {}, "Nothing {} is done"),
            (
                "sample-fail",
                {"how": "words"},
                "Fail {} failed: Line 3 of manifest.json: expected a list.",
            ),
            (
                "sample-fail",
                {"how": "declined"},
                "Fail {} was stopped at a limit: It would need more than 2 GB of memory.",
            ),
        ):
            job = waiting_job(name, args=args)
            run_waiting()
            said = [poke.said for poke in job_pokes(Q(job=job)) if poke.said]
            self.assertEqual(said, [expected.format(job.pk)])
        job = waiting_job(owner=self.curator.user)
        cancel(self.curator.user, job)
        self.assertEqual(
            [poke.said for poke in job_pokes(Q(job=job)) if poke.said],
            [f"Add {job.pk} was cancelled"],
        )


class MissedTest(WorkbenchTestCase):
    def test_it_names_the_topics_in_which_something_happened(self) -> None:
        quiet = running_job(owner=self.curator.user)
        since = newest()
        loud = running_job(owner=self.curator.user)
        Job.objects.filter(pk=loud.pk).update(instance_id=7)
        topics = [
            f"job:{quiet.pk}",
            f"job:{loud.pk}",
            "jobs",
            "events",
            "instance:7",
            "instance:8",
        ]
        touched, said = missed(sight_of(self.curator.user), topics, since)
        self.assertEqual(touched, {f"job:{loud.pk}", "jobs", "events", "instance:7"})
        self.assertEqual(said, [])
        self.assertEqual(
            missed(sight_of(self.curator.user), topics, newest()), (set(), [])
        )

    def test_it_says_ones_own_last_ends_only(self) -> None:
        since = newest()
        for owner in (
            self.reader.user,
            self.curator.user,
            self.curator.user,
            self.curator.user,
            self.curator.user,
        ):
            waiting_job("sample-nothing", owner=owner, team=self.team)
        run_waiting()
        _, said = missed(sight_of(self.curator.user), [], since)
        own = Job.objects.filter(owner=self.curator.user).order_by("pk")
        self.assertEqual(
            [words for _, words in said],
            [f"Nothing {job.pk} is done" for job in own][-3:],
        )

    def test_a_job_that_was_put_back_is_not_said_to_have_ended(self) -> None:
        since = newest()
        job = running_job(owner=self.curator.user)
        JobRun(job).finish_empty()
        Job.objects.filter(pk=job.pk).update(state=Job.QUEUED, finished_at=None)
        self.assertTrue(fresh(job).is_open)
        self.assertEqual(missed(sight_of(self.curator.user), [], since)[1], [])

    def test_cursors_from_the_future_miss_nothing_and_break_nothing(self) -> None:
        self.assertEqual(
            missed(sight_of(self.curator.user), ["jobs"], Cursor(2**62, 2**62)),
            (set(), []),
        )
