"""What counts as repaired: every closure, joint cores, and what joins a finding after its repair was checked."""

from __future__ import annotations

import json

from adjudication.audits.actions.merge_findings import merge_findings
from adjudication.audits.actions.repair_finding import (
    declare_repaired,
    link_repair,
    settle_repairs,
)
from adjudication.audits.actions.settle_finding import rule
from adjudication.audits.models import Closure, Finding
from adjudication.audits.states import WrongMove
from adjudication.runs.models import GradingRun
from curation.instances.models import Revision
from tests.adjudication.audits.test_findings import SPEC, FindingsCase
from tests.adjudication.runs.made import make_run, make_submission
from tests.curation.instances.made import SPEC as SPEC_TEXT
from tests.curation.instances.made import import_tiny, tiny

OTHER = "spec_size_small"
TWO = SPEC_TEXT + f"\ndef {OTHER} (impl : RepoImpl) : Prop :=\n  ∀ s, impl.tiny.size s < 9\n"  # fmt: skip


class RepairsTest(FindingsCase):
    def setUp(self) -> None:
        super().setUp()
        self.user = self.adjudicator.user

    def confirmed(self) -> Finding:
        found = Finding.objects.order_by("number")[0]
        rule(self.user, found, category="vacuous", severity="low", rationale="x")
        return found

    def recheck(self, outcomes: dict[str, str]) -> None:
        """End the newest check that waits."""
        queued = GradingRun.objects.filter(purpose="recheck", receipt_hash="")
        run = queued.order_by("pk")[0]
        done = make_run(run.submission, outcomes, current=False, revision=run.revision)
        run.outcomes.set(done.outcomes.all())
        done.delete()
        run.receipt_hash, run.previous_receipt = f"{run.pk:064d}", f"x{run.pk}"
        run.save()
        settle_repairs(run)

    def state(self) -> str:
        return Finding.objects.order_by("number")[0].state

    def two_specs(self) -> Revision:
        return self.imported(TWO)

    def imported(self, text: str) -> Revision:
        """Import the instance with two specs."""
        files = tiny(spec=text)
        manifest = json.loads(files["manifest.json"])
        manifest["packages"][0]["modules"][0]["specs"] = [SPEC, OTHER]
        files["manifest.json"] = json.dumps(manifest).encode()
        return import_tiny(self.users["curator"], self.team, files).revision

    def test_every_closure_of_one_submission_is_checked(self) -> None:
        both = {SPEC: "passed:disprove", OTHER: "passed:disprove"}
        make_run(make_submission(self.two_specs(), self.agent), both)
        first, second = Finding.objects.order_by("number")
        merge_findings(self.user, second, first)
        link_repair(self.user, self.confirmed(), self.next())
        self.recheck({SPEC: "passed:disprove", OTHER: "build_error:disprove"})
        self.assertEqual(self.state(), "confirmed")

    def next(self) -> Revision:
        return self.imported(TWO.replace("< 9", "< 10"))

    def test_a_core_that_still_contradicts_itself_is_no_repair(self) -> None:
        self.refute()
        Closure.objects.update(route="joint_unsat")
        link_repair(self.user, self.confirmed(), self.newer())
        self.recheck({SPEC: "passed:sat+joint"})
        self.assertEqual(self.state(), "confirmed")

    def test_a_core_that_no_longer_does_is_one(self) -> None:
        self.refute()
        Closure.objects.update(route="joint_unsat")
        link_repair(self.user, self.confirmed(), self.newer())
        self.recheck({SPEC: "unpaired_sat:sat+joint"})
        self.assertEqual(self.state(), "repaired")

    def test_an_older_proof_that_joins_later_is_checked_on_the_repair(self) -> None:
        self.refute()
        link_repair(self.user, self.confirmed(), self.newer())
        self.recheck({SPEC: "build_error:disprove"})
        self.assertEqual(self.state(), "repaired")
        self.refute("late", self.revision)
        self.assertEqual(self.state(), "repaired")
        self.recheck({SPEC: "passed:disprove"})
        self.assertEqual(self.state(), "confirmed")
        self.assertIs(Finding.objects.get().repairs.get().holds, False)

    def test_a_proof_on_the_repair_itself_takes_back_that_it_holds(self) -> None:
        self.refute()
        newest = self.newer()
        link_repair(self.user, self.confirmed(), newest)
        self.recheck({SPEC: "build_error:disprove"})
        self.refute("late", newest)
        self.assertEqual(self.state(), "confirmed")
        self.assertIs(Finding.objects.get().repairs.get().holds, False)

    def test_a_proof_on_the_drafted_repair_itself_ends_it(self) -> None:
        self.refute()
        newest = self.newer()
        link_repair(self.user, self.confirmed(), newest)
        self.refute("late", newest)
        self.assertEqual(self.state(), "confirmed")

    def test_a_spec_that_is_gone_is_for_a_person_to_say(self) -> None:
        make_run(
            make_submission(self.two_specs(), self.agent), {OTHER: "passed:disprove"}
        )
        gone = import_tiny(self.users["curator"], self.team, tiny()).revision
        found = self.confirmed()
        link_repair(self.maintainer.user, found, gone)
        with self.assertRaises(WrongMove):
            declare_repaired(self.user, found, reason="too early")
        self.recheck({SPEC: "passed:prove"})
        self.assertEqual(self.state(), "repair_drafted")
        repair = found.repairs.get()
        self.assertIsNone(repair.holds)
        self.assertIn(f"{OTHER} is not in r3", repair.words)
        declare_repaired(self.user, found, reason="it was asked of nobody")
        self.assertEqual(self.state(), "repaired")

    def test_the_same_revision_is_checked_again_when_no_check_is_under_way(
        self,
    ) -> None:
        self.refute()
        newest, found = self.newer(), self.confirmed()
        first = link_repair(self.user, found, newest)
        self.assertEqual(link_repair(self.user, found, newest), first)
        self.recheck({SPEC: "declined:disprove"})
        self.assertEqual(self.state(), "confirmed")
        link_repair(self.user, found, newest)
        self.recheck({SPEC: "build_error:disprove"})
        self.assertEqual(self.state(), "repaired")
        self.assertEqual(found.repairs.count(), 2)
