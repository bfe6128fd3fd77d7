"""Without green canaries nothing is published."""

from __future__ import annotations

import json

from adjudication.releases.actions.freeze_release import (
    BadRelease,
)
from adjudication.releases.actions.publish_release import (
    publish_release,
)
from adjudication.releases.building import archives, keep, place_of
from adjudication.releases.models import Release
from tests.adjudication.releases.made import ReleaseCase, unpacked
from tests.adjudication.runs.made import make_configuration, make_run, make_submission


class CanariesTest(ReleaseCase):
    def built(self) -> Release:
        release = self.freeze()
        self.waive_all(release)
        return keep(release, self.build(release))

    def refused(self, release: Release, *words: str) -> None:
        with self.assertRaises(BadRelease) as refused, self.assertNoEvent():
            publish_release(self.maintainer.user, release)
        for said in words:
            self.assertIn(said, str(refused.exception))

    def test_without_a_badge_it_says_what_to_run(self) -> None:
        self.refused(
            self.built(),
            "no canaries were tried with this grader on elan 4.29.1",
            "bin/workbench canaries --lean leanprover/lean4:v4.29.1 --record",
        )

    def test_a_red_badge_and_one_of_another_grader_or_lean_do_not_do(self) -> None:
        release = self.built()
        self.badge(grader="0" * 64)
        self.badge(toolchain="elan 4.30.0")
        self.refused(release, "no canaries were tried")
        self.badge(ok=False)
        self.refused(release, "failed with this grader", "not to be believed")
        self.badge()
        self.assertEqual(
            publish_release(self.maintainer.user, release).state, "published"
        )

    def test_each_grader_behind_a_run_needs_its_own(self) -> None:
        make_run(
            make_submission(self.revision, make_configuration(self.team)),
            {"spec_push_size": "passed"},
        )
        release = self.built()
        self.badge()
        self.refused(
            release, "an older grader on pocket 4.35.0", "Grade its runs again"
        )
        self.badge(toolchain="pocket 4.35.0", digest="", grader="0" * 64)
        publish_release(self.maintainer.user, release)

    def test_a_trial_verdict_is_in_the_archive_and_no_score(self) -> None:
        run = make_run(
            make_submission(self.revision, make_configuration(self.team)),
            {"spec_push_size": "passed"},
        )
        release = self.freeze()
        built = self.build(release)
        self.assertEqual(built.manifest["runs"]["scores"], 0)
        files = unpacked(built.path)
        self.assertEqual(files["outcomes.jsonl"], b"")
        row = json.loads(files["trials.jsonl"])
        self.assertIn("a trial Lean", row["no_score"])
        type(run).objects.filter(pk=run.pk).update(publishable=True)
        files = unpacked(self.build(release).path)
        self.assertEqual(files["trials.jsonl"], b"")
        self.assertNotIn("no_score", json.loads(files["outcomes.jsonl"]))

    def test_an_archive_that_went_or_changed_is_not_published(self) -> None:
        release = self.built()
        self.badge()
        whole = place_of(release).read_bytes()
        place_of(release).write_bytes(whole[:-1])
        self.refused(release, "is not what was built")
        place_of(release).unlink()
        self.refused(release, "is not in the data folder")
        self.assertEqual(archives()[0], 1)
        self.assertIn("is not in the data folder", archives()[1][0])
        keep(release, self.build(release))
        self.assertEqual(place_of(release).read_bytes(), whole)
        self.assertEqual(archives(), (1, []))
        publish_release(self.maintainer.user, release)
