from __future__ import annotations

import tracemalloc
from unittest.mock import patch

from django.db import OperationalError

from tests.case import WorkbenchTestCase
from tests.workbench.jobs.made import fresh, running_job, said
from tests.workbench.jobs.test_endings import claimed_again
from workbench.access.models import Team
from workbench.jobs import JobCancelled, JobRun, LeaseLost, cancel
from workbench.jobs import run as run_module
from workbench.jobs.declared import declare
from workbench.jobs.models import Job, JobEvent
from workbench.jobs.perform import perform


class ProgressTest(WorkbenchTestCase):
    def test_it_is_written_and_told(self) -> None:
        job = running_job()
        JobRun(job).progress(3, 43, "base58")
        row = fresh(job)
        self.assertEqual((row.done, row.total, row.doing), (3, 43, "base58"))
        self.assertEqual(job.events.filter(kind=JobEvent.PROGRESS).count(), 1)

    def test_a_thousand_steps_are_a_few_writes(self) -> None:
        job = running_job()
        run = JobRun(job)
        with (
            patch.object(run_module, "WRITES_EVERY_S", 3600),
            self.assertNumQueries(2 * 4),
        ):
            for number in range(1000):
                run.progress(number + 1, 1000)
        self.assertEqual(fresh(job).done, 1000)

    def test_a_step_told_too_soon_is_written_with_the_next_line_of_the_log(
        self,
    ) -> None:
        job = running_job()
        run = JobRun(job)
        with patch.object(run_module, "WRITES_EVERY_S", 3600):
            run.progress(0, 0, "reading")
            run.progress(5, 100, "compiling")
            self.assertEqual(fresh(job).doing, "reading")
            run.log("compiling")
            run.log("and so on")
        self.assertEqual((fresh(job).doing, fresh(job).done), ("compiling", 5))

    def test_it_raises_when_the_lease_is_lost_and_writes_nothing(self) -> None:
        job = running_job()
        claimed_again(job)
        with self.assertRaises(LeaseLost):
            JobRun(job).progress(1, 2)
        self.assertEqual(fresh(job).done, 0)

    def test_it_raises_when_cancelled(self) -> None:
        job = running_job(owner=self.curator.user)
        cancel(self.curator.user, job)
        with self.assertRaises(JobCancelled):
            JobRun(job).progress(1, 2)

    def test_it_raises_at_once_when_the_worker_was_told(self) -> None:
        asked = ""
        run = JobRun(running_job(), lambda: asked)
        run.check()
        for asked, error in (("cancelled", JobCancelled), ("lost", LeaseLost)):
            with (
                self.subTest(asked=asked),
                self.assertRaises(error),
                self.assertNumQueries(0),
            ):
                run.progress(1, 2)

    def test_a_database_that_is_busy_for_long_hides_a_step_and_no_more(self) -> None:
        run = JobRun(running_job())
        busy = OperationalError("database is locked")
        with patch.object(run_module, "hold", side_effect=busy):
            run.progress(1, 2)
        gone = OperationalError("server closed the connection")
        with (
            patch.object(run_module, "hold", side_effect=gone),
            self.assertRaises(OperationalError),
        ):
            run.progress(2, 2)

    def test_what_stops_a_job_is_not_caught_by_except_exception(self) -> None:
        self.assertFalse(issubclass(JobCancelled, Exception))
        self.assertFalse(issubclass(LeaseLost, Exception))


class LogTest(WorkbenchTestCase):
    def test_lines_are_kept_in_order(self) -> None:
        job = running_job()
        run = JobRun(job)
        run.log("one")
        run.log("two")
        self.assertEqual(said(job)[-2:], ["one", "two"])

    def test_a_log_without_end_is_cut_and_says_so(self) -> None:
        job = running_job()
        run = JobRun(job)
        with patch.object(run_module, "LOG_LINES", 3):
            for number in range(10):
                run.log(f"line {number}")
        self.assertEqual(
            said(job)[-4:],
            ["line 0", "line 1", "line 2", "The log is cut here, after 3 lines."],
        )

    def test_a_line_without_end_is_cut(self) -> None:
        job = running_job()
        JobRun(job).log("x" * 1_000_000)
        self.assertEqual(len(said(job)[-1]), run_module.LOG_LINE_CHARACTERS)

    def test_of_two_gigabytes_the_beginning_is_kept_and_memory_stays_flat(self) -> None:
        job = running_job()
        run, text = JobRun(job), "x" * (4 << 20)
        tracemalloc.start()
        for _ in range(512):
            run.log(text)
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        self.assertLess(peak, 4 << 20)
        kept = said(job)
        self.assertEqual(kept[-1], "The log is cut here, after 250 lines.")
        self.assertLess(sum(map(len, kept)), run_module.LOG_CHARACTERS + 1000)

    def test_nothing_is_logged_without_the_lease(self) -> None:
        job = running_job()
        claimed_again(job)
        before = said(job)
        with self.assertRaises(LeaseLost):
            JobRun(job).log("late")
        self.assertEqual(said(job), before)


class FinishingTest(WorkbenchTestCase):
    def test_the_work_and_the_end_become_true_together(self) -> None:
        job = running_job()
        with JobRun(job).finishing() as finish:
            Team.objects.create(slug="made", name="Made")
            finish(result={"made": 1}, summary="made")
        self.assertEqual((fresh(job).state, fresh(job).outcome), ("done", {"made": 1}))
        self.assertTrue(Team.objects.filter(slug="made").exists())

    def test_an_error_inside_leaves_neither(self) -> None:
        job = running_job()
        with self.assertRaises(ZeroDivisionError), JobRun(job).finishing() as finish:
            Team.objects.create(slug="made", name="Made")
            finish()
            raise ZeroDivisionError
        self.assertEqual(fresh(job).state, Job.RUNNING)
        self.assertFalse(Team.objects.filter(slug="made").exists())

    def test_without_the_lease_nothing_inside_is_run(self) -> None:
        job = running_job()
        claimed_again(job)
        with self.assertRaises(LeaseLost), JobRun(job).finishing():
            self.fail("it went in")

    def test_a_cancelled_job_does_not_finish(self) -> None:
        job = running_job(owner=self.curator.user)
        cancel(self.curator.user, job)
        with self.assertRaises(JobCancelled), JobRun(job).finishing():
            self.fail("it went in")
        with self.assertRaises(JobCancelled):
            JobRun(job).finish_empty()

    def test_it_must_say_what_came_out_exactly_once(self) -> None:
        job = running_job()
        with (
            self.assertRaisesMessage(RuntimeError, "finish(…) was not called"),
            JobRun(job).finishing(),
        ):
            pass
        with (
            self.assertRaisesMessage(RuntimeError, "called twice"),
            JobRun(job).finishing() as finish,
        ):
            finish()
            finish()
        self.assertEqual(fresh(job).state, Job.RUNNING)
        run = JobRun(job)
        with run.finishing() as finish:
            finish()
        with self.assertRaisesMessage(RuntimeError, "finishes once"), run.finishing():
            pass

    def test_progress_inside_is_silent(self) -> None:
        job = running_job()
        run = JobRun(job)
        with run.finishing() as finish:
            run.progress(1, 2)
            finish()
        self.assertEqual(fresh(job).done, 0)

    def test_a_result_that_is_no_json_is_an_error(self) -> None:
        with self.assertRaises(TypeError), JobRun(running_job()).finishing() as finish:
            finish(result={1, 2})


class ScratchTest(WorkbenchTestCase):
    def test_the_folder_is_made_once_and_goes_with_the_attempt(self) -> None:
        run = JobRun(running_job())
        folder = run.scratch()
        (folder / "deep").mkdir()
        (folder / "deep" / "file").write_text("x")
        self.assertEqual(run.scratch(), folder)
        self.assertEqual(folder.stat().st_mode & 0o777, 0o700)
        run.close()
        self.assertFalse(folder.exists())


class OddTextTest(WorkbenchTestCase):
    odd = "a\0b \udcff c"

    def test_text_that_no_database_takes_is_kept_as_well_as_can_be(self) -> None:
        job = running_job()
        run = JobRun(job)
        run.log(self.odd)
        self.assertEqual(said(job)[-1], "a\N{REPLACEMENT CHARACTER}b ? c")
        run.progress(1, 2, self.odd)
        self.assertEqual(fresh(job).doing, "a\N{REPLACEMENT CHARACTER}b ? c")
        with run.finishing() as finish:
            finish(result={"odd": self.odd}, summary=self.odd)
        self.assertEqual(fresh(job).outcome, {"odd": self.odd})
        self.assertEqual(fresh(job).summary, "a\N{REPLACEMENT CHARACTER}b ? c")

    def test_so_is_an_error(self) -> None:
        @declare("sample-odd", title="Odd")
        def odd(run: JobRun) -> None:
            raise ValueError(self.odd)

        job = running_job("sample-odd")
        perform(job)
        self.assertEqual(
            fresh(job).error, "ValueError: a\N{REPLACEMENT CHARACTER}b ? c"
        )
