"""From a refuted spec to a verified repair: closures, grouping, moves, rulings, rechecks."""

from __future__ import annotations

from django.urls import reverse

from adjudication.audits.actions.open_closures import open_closures
from adjudication.audits.actions.repair_finding import (
    link_repair,
    settle_repairs,
    verify_repair,
)
from adjudication.audits.actions.settle_finding import (
    Incomplete,
    assign_finding,
    dismiss,
    rule,
    triage,
)
from adjudication.audits.models import Closure, Finding
from adjudication.audits.states import MOVES, WrongMove, move
from adjudication.runs.models import GradingRun
from curation.instances.models import Revision
from tests.adjudication.runs.made import make_configuration, make_run, make_submission
from tests.curation.instances.made import IMPL, InstanceCase, import_tiny, tiny
from workbench.access.rights import AccessDenied
from workbench.events.correlation import correlated

SPEC = "spec_push_size"


class FindingsCase(InstanceCase):
    def setUp(self) -> None:
        super().setUp()
        self.enterContext(correlated())
        self.revision: Revision = self.instance.revisions.get(is_current=True)
        self.agent = make_configuration(self.team)

    def refute(
        self, agent: str = "agent", revision: Revision | None = None
    ) -> GradingRun:
        submission = make_submission(
            revision or self.revision, make_configuration(self.team, agent)
        )
        return make_run(submission, {SPEC: "passed:disprove"})

    def finding(self) -> Finding:
        return Finding.objects.get()

    def rule(self, category: str = "missing_condition") -> None:
        rule(
            self.adjudicator.user,
            self.finding(),
            category=category,
            severity="high",
            rationale="an empty stack is left out",
        )

    def newer(self) -> Revision:
        files = tiny(impl=IMPL.replace("n :: xs", "n :: (xs)"))
        return import_tiny(self.users["curator"], self.team, files).revision


class ClosuresTest(FindingsCase):
    def test_a_refuted_spec_opens_a_finding_by_itself(self) -> None:
        run = self.refute()
        found = self.finding()
        self.assertEqual(
            (found.number, found.state, found.route), (1, "new", "disprove")
        )
        closure = found.closures.get()
        self.assertEqual(closure.run, run)
        self.assertEqual([spec.lean_name for spec in closure.specs.all()], [SPEC])
        self.assertIn("the same spec", closure.grouped_because)

    def test_what_is_proved_opens_none(self) -> None:
        make_run(make_submission(self.revision, self.agent), {SPEC: "passed:prove"})
        make_run(make_submission(self.revision, self.agent), {SPEC: "sorry:disprove"})
        self.assertFalse(Finding.objects.exists())

    def test_the_same_spec_and_route_is_one_finding(self) -> None:
        self.refute()
        self.refute("other")
        self.assertEqual(self.finding().closures.count(), 2)

    def test_another_route_is_another_finding(self) -> None:
        self.refute()
        make_run(make_submission(self.revision, self.agent), {SPEC: "passed:unsat"})
        self.assertEqual(
            sorted(Finding.objects.values_list("number", "route")),
            [(1, "disprove"), (2, "unsat")],
        )

    def test_a_run_brings_its_closures_once(self) -> None:
        run = self.refute()
        self.assertEqual(open_closures(run), [])
        self.assertEqual(Closure.objects.count(), 1)


class RulingTest(FindingsCase):
    def test_a_ruling_confirms_and_stays_with_who_and_why(self) -> None:
        self.refute()
        self.rule()
        found = self.finding()
        self.assertEqual(found.state, "confirmed")
        self.assertEvent("finding.ruled", by=self.adjudicator.user, about=found)
        self.assertEqual(
            list(found.turning_points.values_list("before", "after")),
            [("new", "triaged"), ("triaged", "confirmed")],
        )

    def test_a_new_ruling_leaves_the_old_one_in_the_history(self) -> None:
        self.refute()
        self.rule()
        self.rule("vacuous")
        found = self.finding()
        self.assertEqual(found.rulings.count(), 2)
        self.assertEqual(found.rulings.get(is_current=True).category, "vacuous")

    def test_an_intended_spec_leaves_nothing_to_repair(self) -> None:
        self.refute()
        self.rule("intended")
        self.assertEqual(self.finding().state, "rejected")

    def test_unknown_words_and_missing_reasons_are_refused(self) -> None:
        self.refute()
        found = self.finding()
        user = self.adjudicator.user
        with self.assertRaises(Incomplete):
            rule(user, found, category="x", severity="high", rationale="y")
        with self.assertRaises(Incomplete):
            rule(user, found, category="vacuous", severity="high", rationale=" \0 ")
        with self.assertRaises(Incomplete):
            dismiss(user, found, code="because", reason="y")
        with self.assertRaises(Incomplete):
            assign_finding(user, found, self.reader.user)
        self.assertEqual(self.finding().state, "new")

    def test_a_curator_and_an_outsider_may_not(self) -> None:
        self.refute()
        for person in (self.curator, self.outsider):
            with self.assertRaises(AccessDenied):
                triage(person.user, self.finding())

    def test_every_other_move_is_impossible(self) -> None:
        self.refute()
        found = self.finding()
        for state, ways in MOVES.items():
            for to, _ in Finding.STATES:
                found.state = state
                if to not in ways:
                    with self.assertRaises(WrongMove):
                        move(found, to, None)


class RepairTest(FindingsCase):
    def recheck(self, outcome: str) -> None:
        run = GradingRun.objects.get(purpose=GradingRun.RECHECK)
        done = make_run(
            run.submission, {SPEC: outcome}, current=False, revision=run.revision
        )
        GradingRun.objects.filter(pk=done.pk).update(purpose=GradingRun.RECHECK)
        done.refresh_from_db()
        settle_repairs(done)

    def repair(self) -> None:
        self.refute()
        self.rule()
        link_repair(self.adjudicator.user, self.finding(), self.newer())

    def test_a_repair_holds_when_the_closure_no_longer_checks(self) -> None:
        self.repair()
        self.assertEqual(self.finding().state, "repair_drafted")
        page = reverse("audits:finding", args=["tiny", self.finding().number])
        self.assertNotContains(self.adjudicator.get(page), 'id="declare-reason"')
        self.assertContains(self.maintainer.get(page), 'id="declare-reason"')
        self.recheck("build_error:disprove")
        self.assertEqual(self.finding().state, "repaired")
        with self.assertRaises(AccessDenied):
            verify_repair(self.adjudicator.user, self.finding(), reason="I made it")
        mine = self.adjudicator.get(page)
        self.assertContains(mine, "Somebody else has to verify what you repaired.")
        self.assertNotContains(mine, 'id="verify-reason"')
        self.assertContains(self.maintainer.get(page), 'id="verify-reason"')
        verify_repair(self.maintainer.user, self.finding(), reason="read the new spec")
        self.assertEqual(self.finding().state, "verified")

    def test_a_repair_that_dodges_nothing_goes_back(self) -> None:
        self.repair()
        self.recheck("passed:disprove")
        found = self.finding()
        self.assertEqual(found.state, "confirmed")
        self.assertIn("still checks on r2", found.repairs.get().words)

    def test_a_check_that_ran_out_of_a_limit_is_no_repair(self) -> None:
        self.repair()
        self.recheck("declined:disprove")
        found = self.finding()
        self.assertEqual(found.state, "confirmed")
        self.assertIs(found.repairs.get().holds, False)

    def test_a_repair_is_a_newer_revision(self) -> None:
        self.refute()
        self.rule()
        with self.assertRaises(Incomplete):
            link_repair(self.adjudicator.user, self.finding(), self.revision)

    def test_a_repaired_finding_opens_again_when_it_checks_on_a_later_revision(
        self,
    ) -> None:
        self.repair()
        self.recheck("build_error:disprove")
        newest = self.instance.revisions.get(is_current=True)
        self.refute("third", newest)
        self.assertEqual(self.finding().state, "confirmed")
        self.assertIn("still checks", self.finding().turning_points.last().reason)  # type: ignore[union-attr]  # it was just moved

    def test_a_dismissed_finding_stays_when_an_older_revision_is_graded(self) -> None:
        self.refute()
        dismiss(self.adjudicator.user, self.finding(), code="intended", reason="it is")
        self.refute("late")
        self.assertEqual(self.finding().state, "rejected")
        self.assertEqual(self.finding().closures.count(), 2)
