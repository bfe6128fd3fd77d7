"""What keeps a release from being published, and who signs for it."""

from __future__ import annotations

import json
from dataclasses import replace

from django.db import transaction

from adjudication.audits.models import Finding, Repair
from adjudication.releases.actions.freeze_release import (
    BadRelease,
    freeze_again,
)
from adjudication.releases.actions.publish_release import (
    publish_release,
    retract_release,
)
from adjudication.releases.actions.waive_blocker import waive
from adjudication.releases.building import NotKept, keep, place_of
from adjudication.releases.gate import gate, standing
from adjudication.releases.models import Release
from curation.instances.actions.publish_terms import Compiled, publish_terms
from tests.adjudication.releases.made import ReleaseCase
from tests.curation.instances.made import (
    SPEC,
    import_tiny,
    tiny,
)
from workbench.access.rights import AccessDenied


class GateTest(ReleaseCase):
    def test_open_blockers_keep_it_from_being_published(self) -> None:
        release = self.freeze()
        self.assertTrue(standing(release))
        keep(release, self.build(release))
        self.badge()
        with self.assertRaisesMessage(BadRelease, "blockers are open"):
            publish_release(self.maintainer.user, release)

    def test_a_signed_waiver_lets_it_pass_and_is_printed(self) -> None:
        release = self.published()
        self.assertEqual(release.state, "published")
        self.assertFalse(standing(release))
        self.assertTrue(gate(release))
        manifest = json.loads(release.manifest)
        self.assertEqual(manifest["waivers"][0]["reason"], "seen, harmless")
        self.assertEqual(manifest["waivers"][0]["by"], "maintainer")

    def test_a_waiver_needs_a_right_a_reason_and_an_open_blocker(self) -> None:
        release = self.freeze()
        one = standing(release)[0]
        only = [one.revision.pk]
        with self.assertRaises(AccessDenied):
            waive(self.curator.user, release, one.key, only, "please")
        with self.assertRaisesMessage(BadRelease, "Say why"):
            waive(self.maintainer.user, release, one.key, only, " \0")
        with self.assertRaisesMessage(BadRelease, "Tick the instances"):
            waive(self.maintainer.user, release, one.key, [], "x")
        for key, revisions in (("0" * 64, only), (one.key, [*only, 999_999])):
            with self.assertRaisesMessage(BadRelease, "no longer open"):
                waive(self.maintainer.user, release, key, revisions, "x")
        waive(self.maintainer.user, release, one.key, only, "harmless")
        event = self.assertEvent("release.waived", by=self.maintainer.user)
        self.assertEqual(event.reason, "harmless")

    def test_a_signature_for_what_no_build_told_of_covers_less_of_it_and_not_a_file_that_fails(
        self,
    ) -> None:
        release = self.freeze()
        self.waive_all(release)
        self.assertIn("definitions that no build has told of", release.waivers.order_by("pk")[0].what)  # fmt: skip
        placed = self.revision.placements.select_related("definition")
        keys = [(row.definition.path, row.definition.lean_name) for row in placed]
        for terms, failed in (({keys[0]: "h"}, None), (dict.fromkeys(keys, ""), ())):
            compiled = Compiled("elan", "4.29.1", "t", "g", "scheme", terms, failed)
            with transaction.atomic():
                publish_terms(self.revision, compiled)
            self.assertEqual(standing(release), [])
        self.assertNotIn("not built", [one.blocker.kind for one in gate(release)])
        with transaction.atomic():
            publish_terms(self.revision, replace(compiled, failed=("Tiny/Test.lean",)))
        self.assertEqual([one.blocker.kind for one in standing(release)], ["build"])

    def test_signed_after_the_build_it_must_be_built_again(self) -> None:
        release = self.freeze()
        first = self.build(release)
        keep(release, first)
        one = standing(release)[0]
        waive(self.maintainer.user, release, one.key, [one.revision.pk], "harmless")
        release.refresh_from_db()
        self.assertEqual((release.state, release.archive_digest), ("draft", ""))
        self.assertNotEqual(self.build(release).digest, first.digest)

    def test_a_waiver_that_is_signed_while_it_is_built_is_not_lost(self) -> None:
        release = self.freeze()
        built = self.build(release)
        one = standing(release)[0]
        waive(self.maintainer.user, release, one.key, [one.revision.pk], "harmless")
        with self.assertRaisesMessage(NotKept, "while it was built"):
            keep(Release.objects.get(pk=release.pk), built)
        self.assertFalse(place_of(release).exists())

    def test_a_fault_that_only_a_newer_revision_mends_blocks_the_older_one(
        self,
    ) -> None:
        release = self.freeze()
        newer = import_tiny(
            self.users["curator"], self.team, tiny(spec=SPEC.replace("+ 1", "+ 2"))
        ).revision
        finding = self.finding(Finding.VERIFIED)
        Repair.objects.create(
            finding=finding, revision=newer, by=self.users["curator"], holds=True
        )
        said = [one.blocker.what for one in standing(release)]
        self.assertIn("F-1 is repaired in r2 only: spec_push_size: refuted", said)
        again = freeze_again(self.maintainer.user, release)
        said = [one.blocker.what for one in standing(again)]
        self.assertFalse([words for words in said if words.startswith("F-1")])

    def test_a_refuted_spec_that_nobody_ruled_on_blocks(self) -> None:
        release = self.freeze()
        for state in (Finding.NEW, Finding.TRIAGED, Finding.NEEDS_EVIDENCE):
            finding = self.finding(state)
            self.assertIn(
                "F-1 waits for a decision: spec_push_size: refuted",
                [one.blocker.what for one in standing(release)],
            )
            finding.delete()
        self.finding(Finding.REJECTED)
        said = [one.blocker.what for one in standing(release)]
        self.assertFalse([words for words in said if words.startswith("F-1")])

    def test_a_repaired_finding_is_released_with_it(self) -> None:
        newer = import_tiny(
            self.users["curator"],
            self.team,
            tiny(spec=SPEC.replace("+ 1", "+ 2")),
        ).revision
        finding = self.finding(Finding.VERIFIED)
        Repair.objects.create(
            finding=finding, revision=newer, by=self.users["curator"], holds=True
        )
        release = self.published()
        finding.refresh_from_db()
        self.assertEqual(finding.state, Finding.RELEASED)
        self.assertIn("spec_push_size: refuted", release.changelog)

    def test_only_a_published_one_can_be_retracted_and_says_why(self) -> None:
        draft = self.freeze("0.9")
        with self.assertRaises(BadRelease):
            retract_release(self.maintainer.user, draft, "wrong")
        release = self.published()
        with self.assertRaisesMessage(BadRelease, "Say why"):
            retract_release(self.maintainer.user, release, "")
        retract_release(self.maintainer.user, release, "spec_push_size is wrong")
        self.assertEvent("release.retracted", about=release)
