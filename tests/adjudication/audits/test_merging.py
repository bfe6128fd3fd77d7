"""Merging and splitting findings: both undoable, and what people said outlasts the rule."""

from __future__ import annotations

import json
from uuid import uuid4

from adjudication.audits.actions.merge_findings import (
    join_again,
    merge_findings,
    split_finding,
    take_apart,
)
from adjudication.audits.actions.repair_finding import link_repair
from adjudication.audits.actions.settle_finding import (
    Incomplete,
    dismiss,
    rule,
    triage,
)
from adjudication.audits.models import Closure, Finding
from adjudication.audits.states import WrongMove
from adjudication.runs.models import GradingRun, Submission
from curation.instances.models import Revision
from curation.reviews.undo import act_of, undo_act
from tests.adjudication.audits.test_findings import SPEC, FindingsCase
from tests.adjudication.runs.made import make_configuration, make_run, make_submission
from workbench.access.rights import AccessDenied
from workbench.content.trees import store_tree
from workbench.events.correlation import correlated


class MergingCase(FindingsCase):
    def setUp(self) -> None:
        super().setUp()
        self.user = self.adjudicator.user

    def refuted_by(
        self, proof: str, agent: str = "agent", revision: Revision | None = None
    ) -> GradingRun:
        """A submission whose proof has this text refutes the spec."""
        configuration = make_configuration(self.team, agent)
        made = make_submission(revision or self.revision, configuration)
        slot = {"def_name": f"prove_{SPEC}", "key": "proof", "body_lines": [proof]}
        files = store_tree({"artifact.json": json.dumps({"slots": [slot]}).encode()})
        Submission.objects.filter(pk=made.pk).update(files=files)
        made.refresh_from_db()
        return make_run(made, {SPEC: "passed:disprove"})

    def two(self) -> tuple[Finding, Finding]:
        self.refuted_by("by decide")
        made = make_submission(self.revision, self.agent, mode="codeproof")
        make_run(made, {SPEC: "passed:unsat"})
        first, second = Finding.objects.order_by("number")
        return first, second

    def states(self) -> dict[int, str]:
        return dict(Finding.objects.values_list("number", "state"))

    def places(self) -> list[int]:
        rows = Closure.objects.order_by("pk")
        return list(rows.values_list("finding__number", flat=True))


class MergeTest(MergingCase):
    def test_closures_go_to_the_other_and_come_back(self) -> None:
        first, second = self.two()
        merge_findings(self.user, second, first, reason="one bound")
        self.assertEqual(self.places(), [1, 1])
        self.assertEqual(self.states(), {1: "new", 2: "duplicate"})
        self.assertEvent("finding.merged", by=self.user, about=second, into="F-1")
        take_apart(self.user, second)
        self.assertEqual(self.places(), [1, 2])
        self.assertEqual(self.states(), {1: "new", 2: "triaged"})

    def test_what_the_rule_would_put_there_goes_to_the_other(self) -> None:
        first, second = self.two()
        merge_findings(self.user, first, second)
        self.refuted_by("by simp", "late")
        closure = Closure.objects.order_by("-pk")[0]
        self.assertEqual(closure.finding, second)
        self.assertIn("F-1 was merged into this", closure.grouped_because)

    def test_a_confirmed_one_is_not_merged_into_one_that_blocks_nothing(self) -> None:
        first, second = self.two()
        self.confirm(first)
        with self.assertRaises(WrongMove):
            merge_findings(self.user, first, second)
        merge_findings(self.user, second, first)
        self.assertEqual(self.states(), {1: "confirmed", 2: "duplicate"})

    def test_a_confirmed_one_is_confirmed_again_when_taken_apart(self) -> None:
        first, second = self.two()
        self.confirm(first)
        self.confirm(second)
        with correlated(uuid4()):
            merge_findings(self.user, second, first)
        with correlated(uuid4()):
            take_apart(self.user, second)
        self.assertEqual(self.states(), {1: "confirmed", 2: "confirmed"})

    def test_closed_ones_itself_and_others_take_nothing_in(self) -> None:
        first, second = self.two()
        dismiss(self.user, first, code="other", reason="no")
        with self.assertRaises(WrongMove):
            merge_findings(self.user, second, first)
        with self.assertRaises(Incomplete):
            merge_findings(self.user, second, second)
        with self.assertRaises(AccessDenied):
            merge_findings(self.curator.user, second, first)
        with self.assertRaises(WrongMove):
            take_apart(self.user, second)

    def test_a_merged_one_goes_back_to_triage_by_taking_it_apart_only(self) -> None:
        first, second = self.two()
        merge_findings(self.user, second, first)
        with self.assertRaises(WrongMove):
            triage(self.user, second)

    def test_what_joins_a_drafted_repair_is_checked_too(self) -> None:
        first, second = self.two()
        self.confirm(first)
        link_repair(self.user, first, self.newer())
        self.assertEqual(GradingRun.objects.filter(purpose="recheck").count(), 1)
        merge_findings(self.user, second, first)
        self.assertEqual(GradingRun.objects.filter(purpose="recheck").count(), 2)

    def test_it_is_undone_as_an_act(self) -> None:
        first, second = self.two()
        with correlated(uuid4()) as act:
            merge_findings(self.user, second, first)
        with correlated(uuid4()):
            steps = act_of(self.user, act).possible
            undo_act(self.user, act, expected=[step.event.number for step in steps])
        self.assertEqual(self.places(), [1, 2])

    def test_taken_apart_it_takes_nothing_that_people_put_elsewhere_since(self) -> None:
        first, second = self.two()
        merge_findings(self.user, second, first)
        brought = Closure.objects.order_by("-pk")[0]
        made = split_finding(self.user, first, [brought.pk], reason="another one")
        with self.assertRaisesMessage(WrongMove, "somebody split them from it"):
            take_apart(self.user, second)
        self.assertEqual(self.places(), [1, made.number])
        join_again(self.user, made)
        take_apart(self.user, second)
        self.assertEqual(self.places(), [1, 2])

    def confirm(self, finding: Finding) -> None:
        rule(self.user, finding, category="vacuous", severity="low", rationale="x")


class SplitTest(MergingCase):
    def split(self) -> Finding:
        self.refuted_by("by decide")
        self.refuted_by("by omega", "other")
        chosen = Closure.objects.order_by("pk").values_list("pk", flat=True)[1]
        return split_finding(self.user, self.only(), [chosen], reason="another case")

    def only(self) -> Finding:
        return Finding.objects.get(number=1)

    def test_what_was_split_is_not_grouped_again(self) -> None:
        made = self.split()
        self.assertEqual((made.number, self.places()), (2, [1, 2]))
        self.refuted_by("by omega", "other", self.newer())  # the same proof, regraded
        self.refuted_by("by simp", "third")
        self.assertEqual(self.places(), [1, 2, 2, 1])
        again = Closure.objects.order_by("pk")[2]
        self.assertIn("adjudicator set this very proof apart", again.grouped_because)

    def test_it_is_not_merged_back_before_the_split_is_undone(self) -> None:
        made = self.split()
        for one, other in ((made, self.only()), (self.only(), made)):
            with self.assertRaises(WrongMove):
                merge_findings(self.user, one, other)
        join_again(self.user, made)
        self.assertEqual(self.places(), [1, 1])
        self.refuted_by("by omega", "other", self.newer())
        self.assertEqual(self.places(), [1, 1, 1])

    def test_one_closure_stays_and_all_chosen_are_of_it(self) -> None:
        made = self.split()
        keys = list(Closure.objects.order_by("pk").values_list("pk", flat=True))
        for chosen in ([], keys[:1], keys):
            with self.assertRaises(Incomplete):
                split_finding(self.user, self.only(), chosen, reason="x")
        self.assertEqual(Finding.objects.count(), 2)
        self.assertEqual(made.state, "triaged")

    def test_it_is_undone_as_an_act(self) -> None:
        with correlated(uuid4()) as act:
            self.split()
        with correlated(uuid4()):
            steps = act_of(self.user, act).possible
            undo_act(self.user, act, expected=[step.event.number for step in steps])
        self.assertEqual(self.places(), [1, 1])
