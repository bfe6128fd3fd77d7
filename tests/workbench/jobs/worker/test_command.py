from __future__ import annotations

import io

from django.core.management import call_command

from tests.case import WorkbenchTestCase
from workbench.jobs.models import WorkerRow


class WorkerCommandTest(WorkbenchTestCase):
    def test_wrong_use_is_said_in_a_sentence(self) -> None:
        for arguments, words in (
            (["--queues", "fast"], "there is no queue 'fast'; there are interactive"),
            (["--queues", ","], "expected at least one queue"),
            (["--processes", "0"], "--processes is 0; expected a whole number above 0"),
            (
                ["--offers", "lean 4"],
                "A capability is a word without blanks, not 'lean 4'",
            ),
        ):
            with self.subTest(arguments=arguments):
                said = io.StringIO()
                with self.assertRaises(SystemExit) as ended:
                    call_command("worker", *arguments, stderr=said)
                self.assertEqual(ended.exception.code, 2)
                self.assertIn(words, said.getvalue())
        self.assertFalse(WorkerRow.objects.exists())
