"""What the world does to a submission while its grading waits: a newer revision, or it is retired."""

from __future__ import annotations

from adjudication.runs.actions.regrade import make_regrade_set
from adjudication.runs.actions.retire_submission import retire_submission
from adjudication.runs.models import GradingRun, Submission
from adjudication.standings.actions.make_set import make_set
from tests.adjudication.audits.races import publish
from tests.adjudication.runs.test_pages import SPEC, PageCase, artifact
from tests.curation.instances.made import import_tiny, source, tiny


class SupersededTest(PageCase):
    def setUp(self) -> None:
        super().setUp()
        self.board = make_set(self.maintainer.user, self.team, "All", [self.instance])
        self.post(("a.json", artifact()))
        self.run_made = GradingRun.objects.get()

    def supersede(self) -> None:
        changed = tiny()["Tiny/Spec/Stack.lean"].decode().replace("larger", "taller")
        import_tiny(self.curator.user, self.team, tiny(spec=changed), source())

    def test_a_result_on_a_revision_that_was_replaced_meanwhile_counts_for_nothing_and_says_so(
        self,
    ) -> None:
        self.supersede()
        waiting = self.reader.get(self.run_made.get_absolute_url())
        self.assertContains(waiting, "its result will not count")
        publish(self.run_made, "passed", "disprove")
        run = GradingRun.objects.get()
        self.assertTrue(run.done)
        self.assertFalse(run.is_current)
        self.assertEqual(run.revision.number, 1)
        self.assertFalse(self.board.cells.exists())
        self.assertFalse(run.closures.exists())
        page = self.reader.get(run.get_absolute_url())
        self.assertContains(page, "It was graded on r1, which r2 had replaced")
        self.assertContains(page, "does not count")
        self.assertEqual([row.outcome.spec for row in page.context["rows"]], [SPEC])

    def test_it_is_graded_again_against_the_newest_revision_as_part_of_a_set(
        self,
    ) -> None:
        self.supersede()
        publish(self.run_made, "passed", "prove")
        runs = GradingRun.objects.regradable()
        self.assertEqual(list(runs), [self.run_made])
        made = make_regrade_set(
            self.maintainer.user, self.team, runs, title="t", reason="r", key="k", on_current_revision=True,
        )  # fmt: skip
        self.assertEqual(made.runs.get().revision.number, 2)

    def test_one_that_ended_before_goes_on_to_count(self) -> None:
        publish(self.run_made, "passed", "prove")
        self.supersede()
        run = GradingRun.objects.get()
        self.assertTrue(run.is_current)
        self.assertContains(
            self.reader.get(run.get_absolute_url()), "for which it was handed in"
        )

    def test_what_was_retired_while_it_waited_counts_for_nothing(self) -> None:
        Submission.objects.update(hidden=True)
        publish(self.run_made, "passed", "disprove")
        run = GradingRun.objects.get()
        self.assertEqual((run.done, run.is_current), (True, False))
        self.assertFalse(run.closures.exists())
        self.assertFalse(GradingRun.objects.regradable().exists())

    def test_a_run_whose_submission_is_retired_meanwhile_says_that_it_counts_for_nothing(
        self,
    ) -> None:
        retire_submission(
            self.maintainer.user, self.run_made.submission, retired=True, reason="twice"
        )
        waiting = self.reader.get(self.run_made.get_absolute_url())
        self.assertContains(
            waiting, "The run goes on, but its result will count for nothing"
        )
        publish(self.run_made, "passed", "prove")
        ended = self.reader.get(self.run_made.get_absolute_url())
        self.assertContains(ended, "It counts for nothing")
        page = self.reader.get(self.run_made.submission.get_absolute_url())
        self.assertContains(page, "retired: counts for nothing")
        self.assertNotContains(page, "counts for scores")
