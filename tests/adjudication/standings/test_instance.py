"""The grades of one instance: what they count, what is drawn, and what can be downloaded."""

from __future__ import annotations

import csv
import io

from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from adjudication.runs.models import GradingRun, RegradeSet, Submission
from adjudication.standings.selectors.dashboard import Dashboard, dashboard
from tests.adjudication.runs.made import make_run
from tests.adjudication.standings.made import SPEC, BoardCase


class GradesTest(BoardCase):
    def setUp(self) -> None:
        super().setUp()
        self.url = reverse("grades:instance", args=[self.instance.slug])

    def dash(self, **query: str) -> Dashboard:
        found: Dashboard = self.reader.get(self.url, query).context["dash"]
        return found

    def test_runs_are_told_by_configuration_with_the_best(self) -> None:
        self.run_of()
        self.run_of(outcome="sorry")
        self.run_of("other", "sorry", mode="codeproof")
        rows = [
            (row.name, row.mode, row.runs, row.full, row.best.passed)
            for row in self.dash().grades
        ]
        self.assertEqual(
            rows, [("agent", "proof", 2, 1, 1), ("other", "codeproof", 1, 0, 0)]
        )

    def test_each_spec_is_counted_over_all_current_runs(self) -> None:
        for outcome in ("passed", "sorry", "sorry", "passed:disprove"):
            self.run_of(outcome=outcome)
        dash = self.dash()
        (spec,) = dash.tallies
        self.assertEqual(
            (spec.name, spec.passed, spec.refuted, spec.runs, spec.reasons),
            (SPEC, 2, 1, 4, "sorry 2"),
        )
        self.assertEqual(
            [(one.outcome, one.count, one.often) for one in dash.reasons],
            [("sorry", 2, 0)],
        )
        self.assertEqual((dash.tried, dash.failed), (4, 2))
        self.assertEqual(dash.walls, [])
        self.assertEqual([one.name for one in dash.hardest], [SPEC])

    def test_a_refutation_is_drawn_as_one_and_never_as_a_proof(self) -> None:
        self.run_of(outcome="passed:disprove")
        svg = self.dash().specs.svg
        self.assertIn('class="cross"', svg)
        self.assertNotIn("f-full", svg)
        self.assertIn("passed by disprove", svg)

    def test_a_wall_is_what_was_tried_and_passed_by_none(self) -> None:
        self.assertEqual(self.dash().walls, [])
        self.run_of(outcome="sorry")
        page = self.reader.get(self.url)
        self.assertContains(page, "Shared wall")
        self.assertContains(page, "passed by none of 1")

    def test_hidden_submissions_count_nowhere(self) -> None:
        self.run_of()
        Submission.objects.update(hidden=True)
        dash = self.dash()
        self.assertEqual((dash.runs, dash.tried, dash.history.rows), (0, 0, ()))
        self.assertContains(self.reader.get(self.url), "No submission to this instance")

    def test_a_mode_is_chosen_in_the_address(self) -> None:
        self.run_of()
        self.assertEqual(self.dash(mode="codeproof").runs, 0)
        self.assertEqual(self.dash(mode="proof").runs, 1)
        self.assertEqual(self.reader.get(self.url, {"mode": "x"}).status_code, 400)

    def test_history_tells_the_runs_of_each_revision(self) -> None:
        self.run_of(outcome="sorry")
        self.run_of()
        (row,) = self.dash().history.rows
        self.assertEqual(row[:4], ("r1", 2, 1, "1 of 1"))

    def test_what_is_kept_follows_each_run(self) -> None:
        self.run_of(outcome="sorry")
        self.assertEqual(self.dash().tallies[0].passed, 0)
        self.run_of()
        self.assertEqual(self.dash().tallies[0].passed, 1)

    def test_history_follows_runs_that_count_for_nothing_too(self) -> None:
        run = self.run_of(outcome="sorry")
        self.assertEqual(self.dash().history.rows[0][1], 1)
        make_run(run.submission, {SPEC: "passed"}, current=False)
        self.assertEqual(self.dash().history.rows[0][1:3], (2, 1))
        self.assertEqual(self.dash().tallies[0].passed, 0)

    def test_history_leaves_out_regrades_that_were_never_applied(self) -> None:
        run = self.run_of(outcome="sorry")
        for state, told in (("open", 1), ("cancelled", 1), ("applied", 2)):
            with self.subTest(state):
                beside = make_run(run.submission, {SPEC: "passed"}, current=False)
                beside.purpose = GradingRun.REGRADE
                beside.regrade_set = RegradeSet.objects.create(
                    team=self.team, title=state, reason="r", key=state, state=state
                )
                beside.save()
                self.assertEqual(self.dash().history.rows[0][1], told)

    def test_history_follows_a_set_that_is_applied_after_the_page_was_made(
        self,
    ) -> None:
        run = self.run_of(outcome="sorry")
        beside = make_run(run.submission, {SPEC: "passed"}, current=False)
        beside.purpose = GradingRun.REGRADE
        beside.regrade_set = RegradeSet.objects.create(
            team=self.team, title="again", reason="r", key="again"
        )
        beside.save()
        self.assertEqual(self.dash().history.rows[0][1], 1)
        RegradeSet.objects.update(state=RegradeSet.APPLIED)
        self.assertEqual(self.dash().history.rows[0][1], 2)

    def test_the_overview_shows_them_and_the_tab_counts_them(self) -> None:
        overview = reverse("instances:detail", args=[self.instance.slug])
        self.assertNotContains(self.reader.get(overview), "Specs by run")
        self.run_of()
        page = self.reader.get(overview)
        self.assertContains(page, "Specs by run")
        self.assertContains(page, self.url)

    def test_downloads_hold_every_run(self) -> None:
        run = self.run_of(outcome="sorry")

        def url(name: str, kind: str) -> str:
            return reverse("grades:download", args=[self.instance.slug, name, kind])

        answer = self.reader.get(url("specs", "csv"))
        (row,) = csv.DictReader(io.StringIO(answer.content.decode(), newline=""))
        self.assertEqual(row[f"run {run.pk}: agent, proof"], "sorry")
        for name in ("specs", "history"):
            self.assertEqual(self.reader.get(url(name, "svg")).status_code, 200)
            self.assertHidden(self.outsider.get(url(name, "svg")))
        for name, kind in (("nothing", "csv"), ("specs", "png")):
            self.assertEqual(self.reader.get(url(name, kind)).status_code, 404)

    def test_others_and_visitors_see_none(self) -> None:
        self.assertHidden(self.outsider.get(self.url))
        self.assertAsksForLogin(self.visitor.get(self.url))
        self.assertEqual(self.reader.post(self.url).status_code, 405)

    def test_queries_do_not_grow_with_the_runs(self) -> None:
        def asked() -> int:
            with CaptureQueriesContext(connection) as captured:
                dashboard(self.revision)
            return len(captured)

        self.run_of()
        few = asked()
        for number in range(4):
            self.run_of(f"more-{number}", "sorry")
        self.assertEqual(asked(), few)
        self.assertEqual(asked(), 1)  # kept
