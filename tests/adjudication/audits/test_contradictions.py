"""Which proofs cannot both be right, by what each mode proves of which implementation."""

from __future__ import annotations

from adjudication.audits.models import Closure
from adjudication.audits.selectors.contradictions import contradictions
from adjudication.runs.actions.regrade import apply_regrade_set, make_regrade_set
from adjudication.runs.models import GradingRun
from tests.adjudication.audits.test_findings import SPEC, FindingsCase
from tests.adjudication.runs.made import make_configuration, make_run, make_submission


class ContradictionsTest(FindingsCase):
    def graded(self, route: str, mode: str = "proof", agent: str = "a") -> GradingRun:
        submission = make_submission(
            self.revision, make_configuration(self.team, agent), mode=mode
        )
        return make_run(submission, {SPEC: f"passed:{route}"})

    def said(self) -> list[str]:
        found = contradictions(self.instance.pk, [self.revision.pk])
        return [one.words for one in found]

    def test_one_reference_cannot_satisfy_and_violate_a_spec(self) -> None:
        refuted = self.graded("disprove")
        self.assertEqual(self.said(), [])
        proved = self.graded("prove", agent="b")
        (found,) = contradictions(self.instance.pk, [self.revision.pk])
        self.assertEqual((found.proved, found.refuted), (proved, refuted))
        self.assertEqual(found.specs, (SPEC,))

    def test_another_implementation_may_satisfy_what_the_reference_violates(
        self,
    ) -> None:
        self.graded("disprove")
        self.graded("prove", mode="codeproof", agent="b")
        self.assertEqual(self.said(), [])

    def test_what_holds_of_no_implementation_is_proved_of_none_in_either_mode(
        self,
    ) -> None:
        self.graded("unsat", mode="codeproof")
        self.assertEqual(self.said(), [])
        for mode in ("codeproof", "proof"):
            proof = self.graded("prove", mode=mode, agent=mode)
            self.assertEqual(len(self.said()), 1, mode)
            GradingRun.objects.filter(pk=proof.pk).update(receipt_hash="")

    def test_a_verdict_that_a_regrade_took_back_is_no_evidence(self) -> None:
        self.graded("disprove")
        old = self.graded("prove", agent="b")
        made = make_regrade_set(
            self.maintainer.user, self.team, [old], title="t", reason="r", key="k"
        )
        new = make_run(old.submission, {SPEC: "axiom:prove"}, current=False)
        made.runs.get().delete()
        GradingRun.objects.filter(pk=new.pk).update(
            purpose=GradingRun.REGRADE, regrade_set=made
        )
        self.assertEqual(len(self.said()), 1)  # it waits beside the current results
        apply_regrade_set(self.maintainer.user, made)
        self.assertEqual(self.said(), [])

    def test_a_proof_on_another_revision_is_about_something_else(self) -> None:
        self.graded("disprove")
        submission = make_submission(self.newer(), self.agent)
        make_run(submission, {SPEC: "passed:prove"})
        self.assertEqual(self.said(), [])

    def test_a_core_cannot_be_proved_whole_of_one_implementation(self) -> None:
        joint = self.graded("sat+joint", mode="codeproof")
        closure = self.opened(joint)
        self.assertEqual(self.said(), [])
        self.graded("prove", mode="codeproof", agent="b")
        self.assertEqual(len(self.said()), 1)
        Closure.objects.filter(pk=closure.pk).update(route="disprove")
        self.assertEqual(self.said(), [])

    def opened(self, run: GradingRun) -> Closure:
        """A joint closure, as `open_closures` makes one of a receipt; with a core of one spec, as the tiny instance has one."""
        donor = self.refute("donor")
        closure = donor.closures.get()
        donor.outcomes.all().delete()
        Closure.objects.filter(pk=closure.pk).update(run=run, route="joint_unsat")
        return closure
