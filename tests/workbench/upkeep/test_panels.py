"""What the doctor says of backups."""

from __future__ import annotations

from datetime import timedelta
from unittest.mock import patch

from django.utils import timezone

from tests.case import WorkbenchTestCase
from workbench.events.log import record
from workbench.ui.checks import NA, OK, WARN
from workbench.upkeep import panels


class BackupCheckTest(WorkbenchTestCase):
    def test_without_any_it_says_how_to_make_one(self) -> None:
        answer = panels.backup()
        self.assertEqual(answer.tone, NA)
        self.assertIn("docs/deploy.md", answer.remedy)

    def test_a_fresh_one_is_fine_and_an_old_one_a_warning(self) -> None:
        record("backup.made", None, self.team, head="1:0", members=1)
        self.assertEqual(panels.backup().tone, OK)
        later = timezone.now() + timedelta(days=8)
        with patch.object(panels.timezone, "now", lambda: later):
            answer = panels.backup()
        self.assertEqual(answer.tone, WARN)
        self.assertIn("8 days ago", answer.words)
