"""The demo's releases: nothing in them is painted."""

from __future__ import annotations

from django.utils import timezone

from adjudication.demo_release import PILOT, queue_release
from adjudication.releases.models import Release
from tests.adjudication.releases.made import ReleaseCase
from tests.case import make_user
from tests.curation.instances.made import import_tiny, tiny
from workbench.access.models import Membership
from workbench.jobs.models import Job
from workbench.jobs.perform import run_waiting


class DemoReleaseTest(ReleaseCase):
    def setUp(self) -> None:
        super().setUp()
        noor = make_user("noor")
        Membership.objects.create(user=noor, team=self.team, role="maintainer")
        import_tiny(self.users["curator"], self.team, tiny("abacus"))
        queue_release(self.team, noor, self.set, -7)
        # The canaries need a Lean: here nobody tries them.
        Job.objects.filter(name="canaries").update(
            state=Job.CANCELLED, finished_at=timezone.now()
        )

    def test_the_draft_stands_at_its_gate_with_one_signature(self) -> None:
        draft = self.set.releases.get()
        self.assertEqual(draft.state, "draft")
        self.assertEqual(draft.waivers.count(), 1)

    def test_without_green_canaries_the_pilot_stays_built_and_says_why(self) -> None:
        run_waiting()
        pilot = Release.objects.get(set__name=PILOT)
        self.assertEqual((pilot.state, pilot.builds), ("built", 2))
        job = Job.objects.get(name="demo-release")
        self.assertIn("no canaries were tried", job.summary)

    def test_with_them_it_is_published(self) -> None:
        self.badge()
        run_waiting()
        self.assertEqual(Release.objects.get(set__name=PILOT).state, "published")
