"""The canary badge, and what may be published with it."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import Any, cast

from adjudication.grading.grader import Grader
from adjudication.grading.version import grader_digest
from adjudication.runs.actions.record_badge import record_badge
from adjudication.runs.models import CanaryBadge, GradingRun
from adjudication.runs.selectors.badges import (
    badge_for,
    newest_badges,
    publishable_now,
)
from tests.adjudication.runs.made import make_configuration, make_run, make_submission
from tests.curation.instances.made import InstanceCase

GOOD: dict[str, Any] = {"cheats": [{}, {}], "honest": [{}], "ok": True}


def grader_double(proven: bool = True) -> Grader:
    """What a badge asks of a grader, and no more."""
    return cast(
        Grader,
        SimpleNamespace(
            toolchain=SimpleNamespace(kind="elan", version="4.29.1", digest="t" * 64),
            sandbox=SimpleNamespace(
                sandbox=SimpleNamespace(name="bubblewrap"), proven=proven
            ),
        ),
    )


class BadgeTest(InstanceCase):
    def run_of(self, **fields: Any) -> GradingRun:
        revision = self.instance.revisions.get(is_current=True)
        submission = make_submission(revision, make_configuration(self.team))
        run = make_run(submission, {"spec_push_size": "passed"})
        good = {
            "publishable": True,
            "toolchain_digest": "t" * 64,
            "grader_digest": grader_digest(),
        }
        for name, value in (good | fields).items():
            setattr(run, name, value)
        run.save()
        return run

    def test_a_run_may_be_published_with_a_green_badge_of_its_toolchain_and_grader(
        self,
    ) -> None:
        run = self.run_of()
        self.assertFalse(publishable_now(run)[0])
        self.assertIn("canaries --record", publishable_now(run)[1])
        badge = record_badge(self.maintainer.user, grader_double(), GOOD)
        self.assertEvent("canaries.tried", by=self.maintainer.user, ok=True, cheats=2)
        self.assertEqual(badge_for("t" * 64, grader_digest()), badge)
        self.assertEqual(publishable_now(run), (True, ""))

    def test_the_newest_badge_counts(self) -> None:
        run = self.run_of()
        record_badge(None, grader_double(), GOOD)
        record_badge(None, grader_double(), GOOD | {"ok": False})
        ok, why = publishable_now(run)
        self.assertFalse(ok)
        self.assertIn("failed", why)
        self.assertEqual(len(newest_badges()), 1)

    def test_a_badge_without_cheats_or_honest_ones_is_not_green(self) -> None:
        for missing in ("cheats", "honest"):
            self.assertFalse(
                record_badge(None, grader_double(), GOOD | {missing: []}).ok
            )

    def test_nothing_else_is_published(self) -> None:
        record_badge(None, grader_double(), GOOD)
        for fields, words in (
            ({"publishable": False}, "trial toolchain"),
            ({"sandbox": "none, not proven"}, "not shown to hold"),
            ({"sandbox": ""}, "not shown to hold"),
            ({"grader_digest": "0" * 64}, "No canaries"),
            ({"toolchain_digest": "0" * 64}, "No canaries"),
            ({"receipt_hash": ""}, "no verdict"),
        ):
            with self.subTest(fields):
                ok, why = publishable_now(self.run_of(**fields))
                self.assertFalse(ok)
                self.assertIn(words, why)

    def test_a_badge_keeps_the_whole_result(self) -> None:
        record_badge(None, grader_double(proven=False), GOOD)
        badge = CanaryBadge.objects.get()
        self.assertEqual(json.loads(badge.document), GOOD)
        self.assertEqual(badge.sandbox, "bubblewrap, not proven")
