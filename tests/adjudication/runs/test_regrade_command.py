"""`bin/workbench regrade`."""

from __future__ import annotations

import json
from io import StringIO
from typing import Any

from django.core.management import call_command

from adjudication.runs.models import GradingRun, RegradeSet
from tests.adjudication.runs.made import make_configuration, make_run, make_submission
from tests.curation.instances.made import InstanceCase


def regrade(*words: str) -> tuple[int, Any]:
    """Return exit code and document."""
    out = StringIO()
    try:
        call_command("regrade", *words, json=True, stdout=out, stderr=StringIO())
        code = 0
    except SystemExit as ended:
        code = int(ended.code or 0)
    return code, json.loads(out.getvalue())


class RegradeCommandTest(InstanceCase):
    def setUp(self) -> None:
        super().setUp()
        revision = self.instance.revisions.get(is_current=True)
        made = make_submission(revision, make_configuration(self.team))
        self.old = make_run(made, {"spec_push_size": "passed"})

    def test_it_makes_a_set_and_applies_it_when_every_run_has_ended(self) -> None:
        code, document = regrade(f"--instance={self.instance.slug}", "--reason=reader")
        self.assertEqual((code, document["runs"], document["under_way"]), (0, 1, 1))
        found = RegradeSet.objects.get()
        self.assertIsNone(found.owner)
        code, document = regrade(f"--set={found.pk}", "--apply", "--wait=0")
        self.assertEqual(code, 1)
        new = found.runs.get()
        new.outcomes.create(spec="spec_push_size", position=0, outcome="axiom")
        GradingRun.objects.filter(pk=new.pk).update(
            receipt_hash="x" * 64, previous_receipt=self.old.receipt_hash
        )
        code, document = regrade(f"--set={found.pk}", "--apply")
        self.assertEqual((code, document["current"]), (0, 1))
        self.assertEqual(
            document["changes"], [{"old": "passed", "new": "axiom", "specs": 1}]
        )
        new.refresh_from_db()
        self.assertTrue(new.is_current)

    def test_wrong_use_says_what_was_expected(self) -> None:
        for words, expected in (
            ((), "--instance and --reason"),
            (("--instance=nowhere", "--reason=x"), "nowhere"),
            (("--set=99",), "no regrade set 99"),
            ((f"--instance={self.instance.slug}", "--reason=x", "--mode=codeproof"), "0 runs"),
        ):  # fmt: skip
            with self.subTest(words):
                code, document = regrade(*words)
                self.assertEqual(code, 2)
                self.assertIn(expected, document["error"])
