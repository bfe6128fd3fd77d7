"""Cells follow the current outcomes, whatever happened before."""

from __future__ import annotations

from adjudication.runs.models import Outcome
from adjudication.standings.actions.import_results import import_results
from adjudication.standings.actions.make_set import BadSet, make_set, put_into_set
from adjudication.standings.cells import rebuild_cells
from adjudication.standings.models import Cell, InstanceSet
from adjudication.standings.results_csv import read_results
from adjudication.standings.selectors.board import board
from tests.adjudication.runs.made import make_configuration, make_run, make_submission
from tests.curation.instances.made import InstanceCase
from workbench.access.rights import AccessDenied

SPEC = "spec_push_size"


class CellsTest(InstanceCase):
    def setUp(self) -> None:
        super().setUp()
        self.revision = self.instance.revisions.get(is_current=True)
        self.agent = make_configuration(self.team)
        self.set = make_set(self.maintainer.user, self.team, "All", [self.instance])

    def cells(
        self, found: InstanceSet | None = None
    ) -> list[tuple[str, int, int, str]]:
        rows = Cell.objects.filter(set=found or self.set, basis=Cell.VERIFIED)
        return sorted(rows.values_list("mode", "passed", "specs", "failures"))

    def test_the_best_submission_counts(self) -> None:
        make_run(make_submission(self.revision, self.agent), {SPEC: "passed"})
        make_run(make_submission(self.revision, self.agent), {SPEC: "sorry"})
        self.assertEqual(self.cells(), [("proof", 1, 1, "")])

    def test_the_newest_counts_where_the_set_says_so(self) -> None:
        InstanceSet.objects.update(choice=InstanceSet.LATEST)
        make_run(make_submission(self.revision, self.agent), {SPEC: "passed"})
        make_run(make_submission(self.revision, self.agent), {SPEC: "sorry"})
        self.assertEqual(self.cells(), [("proof", 0, 1, "sorry 1")])

    def test_a_regrade_that_becomes_current_takes_a_pass_away(self) -> None:
        submission = make_submission(self.revision, self.agent)
        make_run(submission, {SPEC: "passed"})
        make_run(submission, {SPEC: "axiom"}, current=False)
        self.assertEqual(self.cells(), [("proof", 1, 1, "")])
        make_run(submission, {SPEC: "axiom"})
        self.assertEqual(self.cells(), [("proof", 0, 1, "axiom 1")])

    def test_rebuilding_finds_the_same(self) -> None:
        for mode, outcome in (
            ("proof", "passed"),
            ("codeproof", "sorry"),
            ("proof", "sorry"),
        ):
            submission = make_submission(
                self.revision, self.agent, mode=mode, cost="1.5"
            )
            make_run(submission, {SPEC: outcome})
        before = self.cells()
        self.assertEqual(rebuild_cells(self.set), 2)
        self.assertEqual(self.cells(), before)
        total = Outcome.objects.filter(
            run__is_current=True, outcome="passed", run__cells__set=self.set
        ).count()
        self.assertEqual(sum(row.specs_passed for row in board(self.set).rows), total)

    def test_a_hidden_submission_does_not_count(self) -> None:
        submission = make_submission(self.revision, self.agent)
        make_run(submission, {SPEC: "passed"})
        submission.hidden = True
        submission.save()
        rebuild_cells(self.set)
        self.assertEqual(self.cells(), [])

    def test_an_instance_joins_its_reported_results(self) -> None:
        table = f"track,instance,specs,x_po\n2,{self.instance.slug},1,1\n"
        done = import_results(
            self.maintainer.user, self.team, "Told", read_results(table.encode())
        )
        make_run(make_submission(self.revision, self.agent), {SPEC: "passed"})
        put_into_set(self.maintainer.user, done.set, [self.instance])
        self.assertEqual(self.cells(done.set), [("proof", 1, 1, "")])
        bases = [row.basis for row in board(done.set).rows]
        self.assertEqual(bases, [Cell.VERIFIED, Cell.REPORTED])

    def test_rights_and_names_are_checked(self) -> None:
        with self.assertRaises(AccessDenied):
            make_set(self.curator.user, self.team, "More")
        with self.assertRaises(BadSet):
            make_set(self.maintainer.user, self.team, "all")
        with self.assertRaises(BadSet):
            make_set(self.maintainer.user, self.team, "…")
