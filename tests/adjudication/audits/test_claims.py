"""A person reports a wrong spec without a grading: a claim, never counted as machine-checked."""

from __future__ import annotations

from django.db import IntegrityError, transaction
from django.urls import reverse

from adjudication.audits.actions.claim_finding import claim_finding
from adjudication.audits.actions.merge_findings import join_again, split_finding
from adjudication.audits.actions.repair_finding import (
    declare_repaired,
    link_repair,
    verify_repair,
)
from adjudication.audits.actions.settle_finding import Incomplete, dismiss, rule
from adjudication.audits.models import Closure, Finding
from adjudication.audits.selectors.contradictions import contradictions
from adjudication.releases.actions.freeze_release import freeze_release
from adjudication.releases.gate import gate
from adjudication.standings.actions.make_set import make_set
from tests.adjudication.audits.test_findings import SPEC
from tests.adjudication.audits.test_merging import MergingCase
from tests.adjudication.runs.made import make_run, make_submission
from workbench.access.models import Membership
from workbench.access.rights import AccessDenied


class ClaimTest(MergingCase):
    def claim(self, words: str = "an empty stack", **more: str) -> Closure:
        spec = self.definition(SPEC)
        return claim_finding(
            self.curator.user,
            self.instance,
            [spec.pk],
            route="disprove",
            words=words,
            **more,
        )

    def test_it_waits_in_the_queue_as_unproven(self) -> None:
        claim = self.claim()
        self.assertEqual((claim.finding.state, claim.basis), ("new", "unproven"))
        self.assertFalse(claim.is_proved)
        self.assertNotIn("is refuted", claim.grouped_because)
        url = reverse("audits:by_id", args=[claim.finding.pk])
        page = self.reader.get(url, follow=True)
        self.assertContains(page, "A claim by hand brings no witness")
        self.assertEvent("finding.claimed", by=self.curator.user, about=claim.finding)

    def test_the_database_never_holds_it_as_machine_checked(self) -> None:
        claim = self.claim()
        for forged in ({"basis": "clean"}, {"lights": "ggggg"}, {"statement": "x"}):
            with self.assertRaises(IntegrityError), transaction.atomic():
                Closure.objects.filter(pk=claim.pk).update(**forged)
        self.refute()
        with self.assertRaises(IntegrityError), transaction.atomic():
            Closure.objects.exclude(run=None).update(basis="unproven")

    def test_it_contradicts_no_proof(self) -> None:
        self.claim()
        make_run(make_submission(self.revision, self.agent), {SPEC: "passed:prove"})
        self.assertEqual(contradictions(self.instance.pk, [self.revision.pk]), [])

    def test_a_proof_and_a_claim_of_the_same_are_one_finding(self) -> None:
        self.claim()
        self.refute()
        self.assertEqual(self.places(), [1, 1])

    def test_a_claim_apart_from_its_proof_does_not_say_that_it_is_proved(self) -> None:
        first = self.claim().finding
        self.refute()
        for by_hand, titles in (
            (True, ["refuted", "said to be refuted"]),
            (False, ["said to be refuted", "refuted"]),
        ):
            chosen = Closure.objects.get(run__isnull=by_hand)
            made = split_finding(self.user, first, [chosen.pk], reason="x")
            self.assertEqual(self.titles(first, made), titles)
            join_again(self.user, made)
            self.assertEqual(self.titles(first), ["refuted"])

    def titles(self, *findings: Finding) -> list[str]:
        """What each says of its spec now."""
        found = [Finding.objects.get(pk=finding.pk).title for finding in findings]
        return [title.removeprefix("spec_push_size: ") for title in found]

    def test_the_same_claim_twice_is_one(self) -> None:
        self.assertEqual(self.claim(), self.claim())
        self.assertNotEqual(self.claim(), self.claim("a full stack"))

    def test_what_was_dismissed_is_not_opened_again_by_a_claim(self) -> None:
        self.refute()
        dismiss(self.user, self.finding(), code="intended", reason="it is")
        claim = self.claim()
        self.assertEqual(self.states(), {1: "rejected", 2: "new"})
        self.assertIn("F-1 on the same is dismissed", claim.grouped_because)

    def test_who_claims_does_not_rule_on_it(self) -> None:
        claim = self.claim()
        Membership.objects.create(
            user=self.curator.user, team=self.team, role="adjudicator"
        )
        with self.assertRaises(AccessDenied):
            rule(
                self.curator.user, claim.finding, category="vacuous", severity="low", rationale="x"
            )  # fmt: skip

    def test_what_is_missing_or_not_theirs_is_refused(self) -> None:
        spec = self.definition(SPEC).pk
        for specs, route, words in (
            ([spec], "disprove", " "),
            ([spec], "prove", "x"),
            ([], "disprove", "x"),
            ([spec], "joint_unsat", "x"),
            ([spec + 99], "disprove", "x"),
            ([spec], "disprove", "x" * 20_001),
        ):
            with self.assertRaises(Incomplete):
                claim_finding(self.curator.user, self.instance, specs, route=route, words=words)  # fmt: skip
        for person in (self.reader, self.submitter, self.outsider):
            with self.assertRaises(AccessDenied):
                claim_finding(person.user, self.instance, [spec], route="disprove", words="x")  # fmt: skip

    def test_a_person_says_that_a_claim_is_repaired_and_another_verifies(self) -> None:
        claim = self.claim()
        finding = claim.finding
        self.confirm(finding)
        link_repair(self.maintainer.user, finding, self.newer())
        with self.assertRaises(AccessDenied):
            declare_repaired(self.maintainer.user, finding, reason="I made it")
        declare_repaired(self.user, finding, reason="the bound is strict now")
        self.assertEqual(self.states(), {1: "repaired"})
        self.assertIsNone(finding.repairs.get().holds)
        with self.assertRaises(AccessDenied):
            verify_repair(self.user, finding, reason="I said so")
        page = reverse("audits:finding", args=["tiny", finding.number])
        words = "Somebody else has to verify what you declared repaired."
        self.assertContains(self.adjudicator.get(page), words)
        self.assertNotContains(self.admin.get(page), words)
        verify_repair(self.admin.user, finding, reason="read it")

    def test_what_a_person_says_is_repaired_later_is_not_repaired_in_a_release(
        self,
    ) -> None:
        board = make_set(self.maintainer.user, self.team, "S", [self.instance])
        release = freeze_release(self.maintainer.user, board, "1.0")
        finding = self.claim().finding
        self.confirm(finding)
        link_repair(self.maintainer.user, finding, self.newer())
        declare_repaired(self.user, finding, reason="the bound is strict now")
        said = [one.blocker.what for one in gate(release)]
        self.assertTrue([what for what in said if "repaired in r2 only" in what])

    def confirm(self, finding: Finding) -> None:
        rule(self.user, finding, category="vacuous", severity="low", rationale="x")
