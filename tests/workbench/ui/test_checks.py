"""Checks of the installation."""

from __future__ import annotations

import logging
from unittest import TestCase

from workbench.ui.checks import BAD, OK, Answer, Check, checks, run_checks


class ChecksTest(TestCase):
    def setUp(self) -> None:
        logging.disable(logging.CRITICAL)
        self.addCleanup(logging.disable, logging.NOTSET)

    def ask(self, check: Check) -> tuple[str, str, str]:
        checks.add(check)
        self.addCleanup(checks.remove, check.name)
        # Only this one: the others ask the database.
        others = [other for other in checks if other.name != check.name]
        for other in others:
            checks.remove(other.name)
        self.addCleanup(checks.add, *others)
        (result,) = run_checks()
        return result.tone, result.words, result.remedy

    def test_it_gives_the_answer(self) -> None:
        self.assertEqual(
            self.ask(Check("A", lambda: Answer(OK, "fine"))), (OK, "fine", "")
        )

    def test_a_check_that_breaks_is_a_bad_answer_and_not_the_end(self) -> None:
        def broken() -> Answer:
            raise OSError("no such disk")

        self.assertEqual(
            self.ask(Check("B", broken)),
            (BAD, "the check itself failed: no such disk", "Look into the log."),
        )
