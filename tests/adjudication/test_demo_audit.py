"""What the demo's adjudicators do beside ruling: a claim by hand, a split, a merge, all through the actions."""

from __future__ import annotations

from unittest.mock import patch

from adjudication import demo_audit
from adjudication.audits.grouping import JOINT
from adjudication.audits.models import Closure, Finding
from tests.adjudication.audits.test_findings import SPEC
from tests.adjudication.audits.test_merging import MergingCase
from tests.case import make_user
from workbench.access.models import Membership
from workbench.events.models import Event


class DemoAuditTest(MergingCase):
    def setUp(self) -> None:
        super().setUp()
        self.mira = make_user("mira")
        Membership.objects.create(user=self.mira, team=self.team, role="curator")

    def test_a_claim_joins_what_is_refuted_and_is_split_from_it_and_ruled_on(
        self,
    ) -> None:
        self.refuted_by("by decide")
        claims = (("mira", SPEC, "it rounds down"), ("mira", "spec_of_nothing", "?"))
        with patch.object(demo_audit, "CLAIMS", claims):
            self.assertEqual(demo_audit._claims(self.team.pk), 1)
        found = Finding.objects.get()
        self.assertEqual(found.closures.count(), 2)
        demo_audit._split(self.user, self.mira, found)
        apart = Finding.objects.exclude(pk=found.pk).get()
        self.assertEqual([one.basis for one in apart.closures.all()], [Closure.UNPROVEN])  # fmt: skip
        self.assertEqual(self.states(), {1: "triaged", 2: "rejected"})
        verbs = set(Event.objects.values_list("verb", flat=True))
        self.assertLessEqual({"finding.claimed", "finding.split", "finding.ruled"}, verbs)  # fmt: skip

    def test_without_a_claim_nothing_is_split(self) -> None:
        self.refuted_by("by decide")
        demo_audit._split(self.user, self.mira, Finding.objects.get())
        self.assertEqual(self.states(), {1: "triaged"})

    def test_the_joint_finding_goes_into_the_one_of_its_cause(self) -> None:
        first, second = self.two()
        Finding.objects.filter(pk=second.pk).update(route=JOINT)
        demo_audit._merged(self.user, self.mira, first)
        self.assertEqual(self.states(), {1: "new", 2: "duplicate"})
        self.assertEqual(self.places(), [1, 1])
